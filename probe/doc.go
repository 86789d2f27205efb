// Package probe is the centre of sonde: what a probe, an attempt, a result, a reason and a verdict are,
// and the one road from a definition to what is counted and shown. Read it first. It has the plain facts of
// protocols, of values in a file and of series that all rooms agree on, and imports no library of any: what
// makes or reads them is elsewhere.
//
// # The road of a probe
//
//  1. schema.Memory.Check reads the files, again and again while sonde runs (schema.World.Check once): a
//     strict walk that knows every place, all problems at once.
//  2. A kind's block is decoded into the Settings that Kind.New returns; Settings.Check says what the
//     fields owe each other, and Settings.Prober makes the Prober.
//  3. schedule.Scheduler.Apply takes the set of probes; unchanged ones (Probe.Digest) run on.
//  4. When a probe is due the scheduler calls Probe.Run; the command once calls the very same method.
//  5. Probe.Run hands a task to retry.Engine.Run, which asks for attempts and decides what follows each.
//  6. Prober.Probe makes one attempt through package conn, which holds it to its limits and names what
//     went wrong.
//  7. Each Sink is told of the attempt, then of the result: metrics count, status shows, the log logs.
//
// # Who decides
//
//   - Whether an attempt passed, whether another is worth it, how long the other side asked us to wait:
//     the kind, with conn's classification and the table of Reasons.
//   - Whether there is another attempt and when: retry.Engine, by its Policy.
//   - When a run starts: schedule. What may stand in a file: schema, and the kind's tags.
//   - What is counted, shown and logged: the sinks.
//
// # The rooms
//
// The packages form a star; none around the centre imports another, but kinds and script, which stand on
// conn, metrics and status, which read a header alike, conn, which looks names up by its own dns, and schema/report,
// which stands on schema and its own writer of JUnit XML.
//
//	probe            words, Run                        imports probe/retry
//	probe/retry      policy, wait, budget, the loop    imports nothing of ours
//	probe/conn       connections, limits, phases,      imports probe, probe/retry, probe/conn/dns
//	                 reasons and evidence
//	    …/dns        what a name stands for            imports probe
//	probe/kinds      one file a kind                   imports probe, probe/conn
//	probe/script     plays tests of probes in          imports probe, probe/retry, probe/conn
//	                 virtual time, as a network
//	probe/schedule   when runs start                   imports probe, probe/retry
//	probe/metrics    counts                            imports probe, probe/retry, probe/accept
//	probe/status     the page                          imports probe, probe/retry, probe/accept
//	probe/accept     what a client says that it takes  imports nothing of ours
//	probe/plan       what probes will do, reckoned     imports probe, probe/retry
//	probe/shard      which of several processes        imports nothing of ours
//	                 runs a probe
//	probe/tale       a run in plain words              imports probe, probe/retry
//	schema           the file                          imports probe, probe/retry
//	schema/report    what is wrong with it, for        imports probe, schema,
//	                 people and CI programs            schema/report/junit
//	    …/junit      JUnit XML, for CI programs        imports nothing of ours
//	cmd/sonde        commands, wiring, the log         imports all of them
//	cmd/gendocs      writes the generated pages        imports …/pages, probe/kinds, probe/script
//	    …/pages      makes them from the code, the     imports probe, probe/retry, probe/metrics,
//	                 comments in it too                schema
//	cmd/bench        what probing costs                imports probe, for due times; runs cmd/sonde
//
// imports_test.go holds this graph and what each package must never reach.
package probe
