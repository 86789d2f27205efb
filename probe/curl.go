package probe

// Curler is Settings whose attempt can be said as a command of curl. Who shows a run asks for it; no
// attempt depends on it.
type Curler interface {
	// Curl is a command for a POSIX shell that sends what the first attempt of a run sends. Remarks on
	// what curl cannot be told stand before it as comment lines. No secret of the block stands in it: what
	// was filled in is named by where it came from (Env.Filled), any other is SecretText. It sends nothing
	// and reads no file. The error says why there is no such command.
	Curl(env Env) (string, error)
}

// Filled is a value that was filled into a block, and where it came from: one of Variable, File and
// Credential is set.
type Filled struct {
	Variable   string // the name of a variable of the environment
	File       string // the path of a file
	Credential string // the name of a credential of systemd, in the folder that $CREDENTIALS_DIRECTORY names
	// Value is a secret.
	Value string
	// Absent is true where Value is a placeholder for what is not here, and may be any text.
	Absent bool
}
