package schema

// What tests of package schema_test share with those of package schema: pages imports schema, so tests
// that need both stand outside it.
var (
	Corpus    = corpus
	Cases     = cases
	FilesOf   = filesOf
	ParseIn   = parseIn
	FakeKinds = fakeKinds
)
