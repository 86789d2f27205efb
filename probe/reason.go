package probe

// Reason names why an attempt failed. The set is closed: reasons are label values, JSON values and
// words of the file, and the table below is the only place where one is declared.
type Reason string

// The reasons of every kind.
const (
	ReasonDNSNotFound  Reason = "dns_not_found"
	ReasonDNSTemporary Reason = "dns_temporary"
	ReasonDNSTimeout   Reason = "dns_timeout"
	ReasonDNSServer    Reason = "dns_server"

	ReasonConnectRefused     Reason = "connect_refused"
	ReasonConnectUnreachable Reason = "connect_unreachable"
	ReasonConnectTimeout     Reason = "connect_timeout"

	ReasonTLSClosed        Reason = "tls_closed"
	ReasonTLSCertExpired   Reason = "tls_cert_expired"
	ReasonTLSCertHostname  Reason = "tls_cert_hostname"
	ReasonTLSCertUntrusted Reason = "tls_cert_untrusted"
	ReasonTLSCertOther     Reason = "tls_cert_other"
	ReasonTLSAlert         Reason = "tls_alert"
	ReasonTLSNotTLS        Reason = "tls_not_tls"

	ReasonLimitTotal       Reason = "limit_total"
	ReasonLimitConnect     Reason = "limit_connect"
	ReasonLimitSockConnect Reason = "limit_sock_connect"
	ReasonLimitSockRead    Reason = "limit_sock_read"

	ReasonDisconnected    Reason = "disconnected"
	ReasonStaleConnection Reason = "stale_connection"
	ReasonHeaderTruncated Reason = "header_truncated"
	ReasonBodyTruncated   Reason = "body_truncated"
	ReasonBodyCorrupt     Reason = "body_corrupt"
	ReasonProtocolError   Reason = "protocol_error"

	ReasonH2Refused     Reason = "h2_refused"
	ReasonH2StreamReset Reason = "h2_stream_reset"
	ReasonH2Goaway      Reason = "h2_goaway"

	ReasonProxyConnect Reason = "proxy_connect"
	ReasonProxyStatus  Reason = "proxy_status"

	ReasonRedirectLoop    Reason = "redirect_loop"
	ReasonRedirectInvalid Reason = "redirect_invalid"
	ReasonStatus          Reason = "status"
	ReasonAssertion       Reason = "assertion"

	ReasonPoolTimeout   Reason = "pool_timeout"
	ReasonLocalResource Reason = "local_resource"
	ReasonProberLate    Reason = "prober_late"
	ReasonConfig        Reason = "config"
	ReasonConnectDenied Reason = "connect_denied"
	ReasonInternal      Reason = "internal"

	ReasonDeadline Reason = "deadline"
	ReasonCanceled Reason = "canceled"
)

// Blame says whose fault a reason is.
type Blame int

// Whose fault a reason is.
const (
	// OfTarget: the failure says something of the target.
	OfTarget Blame = iota
	// Ours: the failure says nothing of the target; a run that ends by it is unknown.
	Ours
	// OfEnd: the run's end cut the attempt.
	OfEnd
)

// ReasonInfo is one row of the table of reasons.
type ReasonInfo struct {
	Reason Reason
	// Transient is whether another attempt is worth it, unless the kind or the file says otherwise.
	Transient bool
	Blame     Blame
	// Help is one sentence for the reference.
	Help string
}

// reasons is the table; its order is the order of the reference.
var reasons = []ReasonInfo{
	{ReasonDNSNotFound, true, OfTarget, "The name does not exist or has no address."},
	{ReasonDNSTemporary, true, OfTarget, "The resolver answered with a temporary failure (SERVFAIL), or could not be reached."},
	{ReasonDNSTimeout, true, OfTarget, "The resolver did not answer within its own limit."},
	{ReasonDNSServer, true, OfTarget, "The resolver refused the question."},
	{ReasonConnectRefused, true, OfTarget, "The port is closed."},
	{ReasonConnectUnreachable, true, OfTarget, "There is no route to the host or its network."},
	{ReasonConnectTimeout, true, OfTarget, "The kernel gave up connecting before a limit of ours did."},
	{ReasonTLSClosed, true, OfTarget, "The peer closed or reset the connection during the TLS handshake."},
	{ReasonLimitTotal, true, OfTarget, "The limit total of the attempt ended it."},
	{ReasonLimitConnect, true, OfTarget, "The limit connect ended the attempt."},
	{ReasonLimitSockConnect, true, OfTarget, "The limit sock_connect ended the attempt."},
	{ReasonLimitSockRead, true, OfTarget, "The peer was silent for as long as the limit sock_read allows."},
	{ReasonDisconnected, true, OfTarget, "The peer closed or reset the connection before the first byte of a response."},
	{ReasonStaleConnection, true, OfTarget, "A kept connection had been closed by the peer when the request went out on it."},
	{ReasonHeaderTruncated, true, OfTarget, "The connection ended within the response header."},
	{ReasonBodyTruncated, true, OfTarget, "The response body was cut before its announced end."},
	{ReasonBodyCorrupt, true, OfTarget, "The response body's framing or compression is damaged."},
	{ReasonH2Refused, true, OfTarget, "The HTTP/2 peer refused the stream and guarantees that it was not processed."},
	{ReasonH2StreamReset, true, OfTarget, "The HTTP/2 peer reset the stream before the response header."},
	{ReasonH2Goaway, true, OfTarget, "The HTTP/2 peer closed the connection with a GOAWAY that leaves our stream in doubt."},
	{ReasonProxyConnect, true, OfTarget, "The proxy could not be reached, or did not answer CONNECT in proper HTTP."},
	{ReasonProxyStatus, true, OfTarget, "The proxy answered CONNECT with a status other than 2xx, or an http URL with 407; transient when the status is in the retryable set."},
	{ReasonTLSCertExpired, false, OfTarget, "The certificate has expired or is not yet valid."},
	{ReasonTLSCertHostname, false, OfTarget, "The certificate is for another name."},
	{ReasonTLSCertUntrusted, false, OfTarget, "The certificate is signed by an authority that is not trusted."},
	{ReasonTLSCertOther, false, OfTarget, "The certificate chain is wrong in another way."},
	{ReasonTLSAlert, false, OfTarget, "The peer ended TLS with an alert."},
	{ReasonTLSNotTLS, false, OfTarget, "The peer does not speak TLS."},
	{ReasonProtocolError, false, OfTarget, "The answer is not of the protocol: not HTTP, broken framing, a header over 1 MiB, 1xx without end, a flood of frames that bring nothing."},
	{ReasonRedirectLoop, false, OfTarget, "More redirects came than are followed."},
	{ReasonRedirectInvalid, false, OfTarget, "A redirect leads to something that is no http or https URL."},
	{ReasonStatus, false, OfTarget, "The status is not an expected one; transient when it is in the retryable set."},
	{ReasonAssertion, false, OfTarget, "The response is not what the probe expects; transient where a tcp peer has said something else and then a limit passes or it resets the connection, for it may have had more to say."},
	{ReasonPoolTimeout, true, Ours, "A limit or the run's deadline passed while the attempt was queued for a connection that `connection.per_host` or `--probe.max-connections` did not allow, or after more than a third of it had gone that way."},
	{ReasonLocalResource, true, Ours, "Our own descriptors, ports or buffers are used up; or a limit or the run's deadline passed while the attempt was queued for a descriptor, or after more than a third of it had gone that way."},
	{ReasonProberLate, true, Ours, "A limit or the run's deadline fired while our own process, or the machine that the target shares with it, was starved; it says nothing of the target."},
	{ReasonConfig, false, Ours, "Something that the file names could not be used at run time, such as a CA file that is gone."},
	{ReasonConnectDenied, false, Ours, "A local rule forbids the connection."},
	{ReasonInternal, false, Ours, "The prober panicked, or gave a reason that there is none of; this is a bug of sonde."},
	{ReasonDeadline, false, OfEnd, "The deadline of the run or of the batch cut the attempt."},
	{ReasonCanceled, false, OfEnd, "The run was canceled."},
}

var reasonTable = func() map[Reason]ReasonInfo {
	m := make(map[Reason]ReasonInfo, len(reasons))
	for _, r := range reasons {
		m[r.Reason] = r
	}
	return m
}()

// Reasons returns the table of reasons, in the order of the reference.
func Reasons() []ReasonInfo { return append([]ReasonInfo(nil), reasons...) }

// Known reports whether the reason is one of the closed set.
func (r Reason) Known() bool { _, ok := reasonTable[r]; return ok }

// Transient is whether another attempt is worth it by default.
func (r Reason) Transient() bool { return reasonTable[r].Transient }

// Blame says whose fault the reason is; the empty reason is nobody's and counts as the target's.
func (r Reason) Blame() Blame { return reasonTable[r].Blame }
