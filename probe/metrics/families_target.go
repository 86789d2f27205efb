package metrics

// targetFamilies bear blackbox_exporter's names and meanings, so that rules and dashboards made for it
// go on working. They describe the last run; a run that is unknown leaves them as they were, which each
// of them says in its help: who alerts on one of them alone would not notice a prober that sees nothing.
var targetFamilies = []Family{
	known(factSuccess, onKnownRun, "probe_success",
		"1 when the last run that says something of the target passed, flaky included, else 0"),
	known(factDuration, onKnownRun, "probe_duration_seconds",
		"How long the last run took, waits included"),
	known(factLookup, onKnownRun, "probe_dns_lookup_time_seconds",
		"How long the last attempt asked for addresses; 0 on a kept connection"),
	known(factIPProtocol, onKnownRun, "probe_ip_protocol",
		"4 or 6, the IP version of the address that the last attempt used; 0 when it reached none"),
	known(factStatus, whenHTTP, "probe_http_status_code",
		"Status of the last response; 0 when the last attempt got none"),
	{Name: "probe_http_duration_seconds", Type: Gauge, PerProbe: true, Since: whenHTTP, Labels: []string{"phase"}, read: timings,
		Help: "How long each phase of the last attempt took; processing is from a usable connection to the end of the response header" + kept},
	known(factVersion, whenHTTP, "probe_http_version",
		"HTTP version of the last response, such as 1.1; 0 when the last attempt got none"),
	known(factSSL, whenHTTP, "probe_http_ssl",
		"1 when the last response came over TLS, else 0"),
	known(factRedirects, whenHTTP, "probe_http_redirects",
		"Redirects that the last attempt followed"),
	known(factContentLength, whenHTTP, "probe_http_content_length",
		"Announced length of the last response in bytes, -1 when it announced none; 0 when the last attempt got no response"),
	known(factBodyLength, whenHTTP, "probe_http_uncompressed_body_length",
		"Bytes that were read of the last response's body"),
	known(factLastModified, whenHTTPHas, "probe_http_last_modified_timestamp_seconds",
		"Last-Modified of the last response, in seconds since 1970"),
	known(factCertExpiry, whenSeen, "probe_ssl_earliest_cert_expiry",
		"First expiry among the certificates that the peer sent, in seconds since 1970; also when the attempt failed, for the certificate or otherwise"),
	known(factChainExpiry, whenSeen, "probe_ssl_last_chain_expiry_timestamp_seconds",
		"When the last verified certificate chain expires, in seconds since 1970"),
	{Name: "probe_tls_version_info", Type: Gauge, PerProbe: true, Since: whenSeen, Labels: []string{"version"}, read: tlsVersion,
		Help: "TLS version of the last attempt's connection; always 1" + kept},
}

// kept ends the help of every one of them.
const kept = "; a run whose verdict is unknown leaves it as it was"

// known is a gauge of a fact.
func known(f fact, since, name, help string) Family {
	return Family{Name: name, Type: Gauge, PerProbe: true, Since: since, Help: help + kept,
		read: func(s *snapshot, out values) {
			if v, ok := s.facts.get(f); ok {
				out.value(v)
			}
		}}
}

var phaseLabels = labelValuesOf(phases)

func timings(s *snapshot, out values) {
	for i, phase := range phaseLabels {
		if v, ok := s.facts.get(factResolve + fact(i)); ok {
			out.value(v, phase...)
		}
	}
}

func tlsVersion(s *snapshot, out values) {
	if v := s.facts.tlsVersion; v != "" {
		out.value(1, v)
	}
}
