package schema

// This file has what people bring along from elsewhere and is no key here, and what serves instead.

const (
	noFamily    = "there is no choice of IPv4 or IPv6: all addresses of a name are tried, and an address may stand in place of the name"
	noAlerts    = "sonde notifies nobody; Prometheus' rules and Alertmanager do"
	noPage      = "what is served, and where, is said by flags of sonde run, such as --web.listen-address"
	noLatency   = "there is no threshold of latency: timeout.total ends what takes longer, and rules in Prometheus judge sonde_attempt_duration_seconds"
	noExpiry    = "there is no threshold for certificates: a rule in Prometheus judges probe_ssl_earliest_cert_expiry"
	noPath      = "there is no assertion on a path in JSON: http.expect.body.matches takes a regular expression"
	noUpgrade   = "there is no STARTTLS: tls is spoken from the first byte on, and a tcp probe's dialogue can see that it is offered"
	noSilence   = "there are no times of maintenance: Alertmanager silences alerts, and enabled: false stops a probe"
	noThreshold = "a run that is down has failed in all its attempts (retry.attempts); how long that must last before an alert, Prometheus' rules say with for"
	noClient    = "there is no such block: timeout stands in the probe, and redirects, proxy and tls in its http"
)

// advice is what to say of a key, by its name in lower case with _ for -.
var advice = map[string]string{
	"maintenance": noSilence, "maintenance_windows": noSilence, "maintenance_window": noSilence, "silence": noSilence,
	"failure_threshold": noThreshold, "success_threshold": noThreshold, "threshold": noThreshold,
	"global":        "what holds for all probes of a file stands under defaults",
	"module":        "there are no modules; a probe has a kind block such as http, and takes what it shares with others from profiles, by use",
	"services":      "the list is called probes",
	"cron":          "how often a probe runs is interval, a duration such as 30s; there are no times of day",
	"retries":       "the number of tries is retry.attempts, which counts the first one too",
	"max_attempts":  "the number of tries is retry.attempts, which counts the first one too",
	"endpoints":     "the list is called probes",
	"monitors":      "the list is called probes",
	"checks":        "the list is called probes",
	"modules":       "there are no modules; write probes, with a kind block such as http in each",
	"sops":          "the file is encrypted by SOPS; decrypt it before",
	"frequency":     "how often a probe runs is interval",
	"period":        "how often a probe runs is interval",
	"tags":          "names for metrics are labels, a mapping",
	"verify_ssl":    "whether certificates are checked is tls.insecure_skip_verify",
	"ssl":           "settings of TLS stand under tls",
	"type":          "a probe says what it is by its kind block, such as http: {url: …}",
	"retry_backoff": "the waits between tries are retry.backoff",

	"preferred_ip_protocol": noFamily, "ip_protocol_fallback": noFamily, "ip_protocol": noFamily, "ip_version": noFamily,
	"address_family": noFamily, "ipv4": noFamily, "ipv6": noFamily,
	"alert": noAlerts, "alerts": noAlerts, "alerting": noAlerts, "notify": noAlerts, "notifications": noAlerts,
	"ui": noPage, "web": noPage, "storage": "sonde remembers nothing; Prometheus keeps what it scrapes",
	"client":      noClient,
	"compression": "no compression is asked for, and what headers: {Accept-Encoding: …} asks for is matched as it comes, not decompressed",
	"latency":     noLatency, "max_latency": noLatency, "response_time": noLatency, "max_response_time": noLatency, "max_duration": noLatency,
	"cert_expiry": noExpiry, "certificate_expiry": noExpiry, "certificate_expiration": noExpiry, "cert_expiration": noExpiry,
	"ssl_expiry": noExpiry, "min_cert_validity": noExpiry,
	"json_path": noPath, "jsonpath": noPath, "body_json": noPath,
	"starttls": noUpgrade,
}

// adviceWithin is advice for keys that mean something else in another place, by the key of the mapping that
// they stand in, and their own.
var adviceWithin = map[string]string{
	"expect.json": noPath, "body.json": noPath,
	"expect.duration": noLatency,
	"retry.interval":  "the waits between tries are retry.backoff", "retry.wait": "the waits between tries are retry.backoff",
}

// otherKinds are those that others have, as keys of a probe.
var otherKinds = map[string]string{
	"icmp": noICMP, "ping": noICMP,
	"dns":       "there is no kind dns; every attempt on a new connection resolves its name, and the reasons dns_… say how that failed",
	"grpc":      "there is no kind grpc; tcp says whether the port answers",
	"udp":       "there is no kind udp, only http and tcp",
	"ssh":       `there is no kind ssh; tcp reads the banner, as in dialogue: [{expect: "^SSH-2.0-"}]`,
	"websocket": "there is no kind websocket; http can see the answer to the handshake",
}

const noICMP = "there is no kind icmp; tcp says whether a port answers"
