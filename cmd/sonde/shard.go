package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"sonde/probe/shard"
)

// shardFlag says which part of the probes is this process's. It is nil when all are, and not when it is
// empty: a variable that is not set must not make every process run everything.
type shardFlag struct {
	Shard *string `placeholder:"I/N" help:"The probes of one of N shards alone. I counts from 0: of four shards the first is 0/4, the last 3/4. auto/N takes I from the pod's name (POD_NAME, or else the host's name), as in sonde-3."`
}

// shard is what the flag means on this machine.
func (f shardFlag) shard() (shard.Shard, error) {
	if f.Shard == nil {
		return shard.Shard{}, nil
	}
	spec, err := shard.Parse(*f.Shard)
	if err != nil {
		return shard.Shard{}, cannot(fmt.Errorf("--shard %w", err),
			"each of N processes has its own, from --shard=0/N on; all pods of a StatefulSet can have --shard=auto/N")
	}
	pod, from := podName()
	s, err := spec.Of(pod)
	switch {
	case errors.Is(err, shard.ErrNoOrdinal):
		return s, cannot(fmt.Errorf("--shard is %q, but %s %w", *f.Shard, from, err),
			fmt.Sprintf("auto is for pods of a StatefulSet, and of those with hostNetwork when POD_NAME is set to metadata.name; elsewhere say which shard this is, from --shard=0/%d on", spec.Count))
	case err != nil:
		return s, cannot(fmt.Errorf("--shard is %q, but %s %w", *f.Shard, from, err),
			"the number after auto/ must be that of the StatefulSet's replicas, and its ordinals begin with 0")
	}
	return s, nil
}

// podName is the name of the pod that this is, and where it was found. With hostNetwork the host's name is
// the node's, so POD_NAME wins. Only the first label of a host's name is the pod's.
func podName() (name, from string) {
	if name := os.Getenv("POD_NAME"); name != "" {
		return name, "POD_NAME"
	}
	name, _ = os.Hostname()
	name, _, _ = strings.Cut(name, ".")
	return name, "the host's name"
}
