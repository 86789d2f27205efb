package probe

import "testing"

// TestBeside holds that no reason is told twice.
func TestBeside(t *testing.T) {
	for _, tt := range []struct {
		reason     Reason
		text, want string
	}{
		{ReasonLimitSockRead, "limit sock_read: no byte for 10s while receiving the body", "no byte for 10s while receiving the body"},
		{ReasonLimitTotal, "limit total (2s) passed while connecting", "2s passed while connecting"},
		{ReasonStatus, "status 503, want 2xx", "503, want 2xx"},
		{ReasonStatus, "status", "status"},
		{ReasonStatus, "statuses", "statuses"},
		{ReasonPoolTimeout, "limit total (2s) passed while connecting", "limit total (2s) passed while connecting"},
		{ReasonDeadline, "the run's deadline has passed", "the run's deadline has passed"},
		{"", " x", " x"},
	} {
		if got := tt.reason.Beside(tt.text); got != tt.want {
			t.Errorf("%s: %s: got %q, want %q", tt.reason, tt.text, got, tt.want)
		}
	}
}
