package probe

// Reworded is an error in other words: those of this program for one of Go's, or a text without what must
// not be shown. It unwraps to the error that it stands for, which can be asked for but is not printed.
func Reworded(err error, text string) error { return &reworded{text, err} }

type reworded struct {
	text string
	err  error
}

func (e *reworded) Error() string { return e.text }
func (e *reworded) Unwrap() error { return e.err }
