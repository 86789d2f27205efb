package schema

import "slices"

// meantKey is a key of ours, where others have a key of another name.
type meantKey struct {
	key  string
	note string // what else there is to know; may be empty
}

// foreign is what is called otherwise in blackbox_exporter, Gatus, Cloudprober, Prometheus and libraries of
// clients, by the name there in lower case with _ for -.
var foreign = map[string]meantKey{
	// what is expected
	"valid_status_codes":              {"http.expect.status", ""},
	"valid_http_versions":             {"http.version", "it is what is spoken"},
	"fail_if_body_matches_regexp":     {"http.expect.body.not_matches", ""},
	"fail_if_body_not_matches_regexp": {"http.expect.body.matches", ""},
	"fail_if_body_json_matches_cel":   {"http.expect.body.not_matches", "it takes regular expressions"},
	"fail_if_body_json_not_matches_cel": {"http.expect.body.matches",
		"it takes regular expressions"},
	"fail_if_header_matches":     {"http.expect.headers", "as in {Name: {absent: true}}"},
	"fail_if_header_not_matches": {"http.expect.headers", "as in {Name: {matches: REGEX}}"},
	"fail_if_ssl":                {"http.url", "the scheme says whether TLS is spoken"},
	"fail_if_not_ssl":            {"http.url", "the scheme says whether TLS is spoken"},
	"body_size_limit":            {"http.expect.max_body", ""},
	"conditions":                 {"http.expect", ""},
	"validator":                  {"http.expect", ""},
	"assertions":                 {"http.expect", ""},
	"assertion":                  {"http.expect", ""},
	"assert":                     {"http.expect", ""},
	"success_status_codes":       {"http.expect.status", ""},
	"failure_status_codes":       {"http.expect.status", "it has those that pass"},
	"expected_status":            {"http.expect.status", ""},
	"expected_status_codes":      {"http.expect.status", ""},
	"accepted_statuscodes":       {"http.expect.status", ""},
	"status_codes":               {"http.expect.status", ""},
	"status_code":                {"http.expect.status", ""},
	"keyword":                    {"http.expect.body.contains", ""},
	"query_response":             {"tcp.dialogue", ""},
	// how it is asked for
	"follow_redirects":               {"http.redirects", "a number, or none"},
	"no_follow_redirects":            {"http.redirects", "a number, or none"},
	"allow_redirects":                {"http.redirects", "a number, or none"},
	"ignore_redirect":                {"http.redirects", "a number, or none"},
	"max_redirects":                  {"http.redirects", "a number, or none"},
	"tls_config":                     {"http.tls", ""},
	"insecure":                       {"http.tls.insecure_skip_verify", ""},
	"disable_cert_validation":        {"http.tls.insecure_skip_verify", ""},
	"disable_certificate_validation": {"http.tls.insecure_skip_verify", ""},
	"verify":                         {"http.tls.insecure_skip_verify", ""},
	"basic_auth":                     {"http.headers", bearer},
	"bearer_token":                   {"http.headers", bearer},
	"bearer_token_file":              {"http.headers", bearer},
	"authorization":                  {"http.headers", bearer},
	"oauth2":                         {"http.headers", bearer},
	"http_headers":                   {"http.headers", ""},
	"user_agent":                     {"http.headers", "as in {User-Agent: TEXT}"},
	"body_file":                      {"http.body", "as in ${file:PATH}"},
	"data":                           {"http.body", ""},
	"keep_alive":                     {"connection.reuse", ""},
	"keepalive":                      {"connection.reuse", ""},
	"auth":                           {"http.headers", bearer},
	"username":                       {"http.headers", bearer},
	"password":                       {"http.headers", bearer},
	"http2":                          {"http.version", `as in "1.1" or "2"`},
	"enable_http2":                   {"http.version", `as in "1.1" or "2"`},
	"http_version":                   {"http.version", `as in "1.1" or "2"`},
	"proxy_url":                      {"http.proxy", ""},
	"proxy_from_environment":         {"http.proxy", "as in proxy: environment"},
	"proxy_connect_header":           {"http.proxy.headers", ""},
	"relative_url":                   {"http.url", ""},
	"params":                         {"http.url", "a query is part of it"},
	"retry_on":                       {"http.retryable_status", "reasons stand under retry.transient"},
	"status_forcelist":               {"http.retryable_status", ""},
	// what is probed, and when
	"prober":           {"http", "a probe says what it is by its kind block"},
	"http_probe":       {"http", ""},
	"tcp_probe":        {"tcp", ""},
	"probe":            {"probes", "a list"},
	"scrape_configs":   {"probes", "a list"},
	"static_configs":   {"targets", ""},
	"host_names":       {"targets", ""},
	"file_sd_configs":  {"targets_from", ""},
	"job_name":         {"name", ""},
	"additional_label": {"labels", ""},
	"extra_labels":     {"labels", ""},
	"interval_msec":    {"interval", "a duration such as 30s"},
	"scrape_interval":  {"interval", ""},
	"schedule":         {"interval", ""},
	"every":            {"interval", ""},
	"timeout_msec":     {"timeout.total", "a duration such as 10s"},
	"timeout_seconds":  {"timeout.total", "a duration such as 10s"},
	"scrape_timeout":   {"timeout.total", ""},
	"max_retries":      {"retry.attempts", "it counts the first try too"},
	"maxretries":       {"retry.attempts", "it counts the first try too"},
	"num_retries":      {"retry.attempts", "it counts the first try too"},
	"retry_interval":   {"retry.backoff", ""},
	"backoff_factor":   {"retry.backoff.base", ""},
	"initial_delay":    {"retry.backoff.base", ""},
	"max_delay":        {"retry.backoff.cap", ""},
}

const bearer = `as in {Authorization: "Bearer ${file:PATH}"}, or a user and any password in the URL, as in https://me:${file:PATH}@host/`

// within is foreign for keys that mean something else in another place: by the key of the mapping that they
// stand in, and their own.
var within = map[string]meantKey{
	"expect.regex":         {"http.expect.body.matches", ""},
	"expect.regexp":        {"http.expect.body.matches", ""},
	"expect.body_regex":    {"http.expect.body.matches", ""},
	"expect.body_regexp":   {"http.expect.body.matches", ""},
	"expect.body_matches":  {"http.expect.body.matches", ""},
	"expect.body_contains": {"http.expect.body.contains", ""},
	"expect.text":          {"http.expect.body.contains", ""},
	"body.regex":           {"http.expect.body.matches", ""},
	"body.regexp":          {"http.expect.body.matches", ""},
	"body.pattern":         {"http.expect.body.matches", ""},
	"body.text":            {"http.expect.body.contains", ""},
	"retry.delay":          {"retry.backoff.base", ""},
	"retry.max":            {"retry.attempts", "it counts the first try too"},
	"retry.count":          {"retry.attempts", "it counts the first try too"},
}

// foreign is the hint for a key that people bring along from elsewhere; empty when there is none.
func (*walker) foreign(name string) string {
	if text := advice[normal(name)]; text != "" {
		return text
	}
	return foreign[normal(name)].hint()
}

// within is foreign for a key that stands in a mapping. What is said of a place goes before all else.
func (*walker) within(in *path, names []string, name string) string {
	if in == nil {
		return ""
	}
	key := in.last() + "." + normal(name)
	switch text := adviceWithin[key]; {
	case text != "":
		return text
	case within[key].key != "":
		return within[key].hint()
	case slices.Contains(names, "interval") && otherKinds[normal(name)] != "":
		return otherKinds[normal(name)]
	}
	return ""
}

// hint asks whether the key was meant; empty for none.
func (k meantKey) hint() string {
	switch {
	case k.key == "":
		return ""
	case k.note != "":
		return "did you mean " + k.key + " (" + k.note + ")?"
	}
	return "did you mean " + k.key + "?"
}
