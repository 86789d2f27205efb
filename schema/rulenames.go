package schema

// The rules that a file can break. The names are a promise: they stand in reports and in what people
// switch off.
const (
	RuleEncoding     = "encoding"            // the text is not UTF-8, or holds control characters
	RuleTooLarge     = "too-large"           // the file is over 32 MiB
	RuleEmpty        = "empty-file"          // the file holds nothing
	RuleSyntax       = "syntax"              // the text is not YAML
	RuleSecondDoc    = "second-document"     // a second document follows
	RuleAliases      = "alias-bomb"          // aliases expand beyond all reason, or into themselves
	RuleDeep         = "too-deep"            // values are nested too deeply
	RuleRepeatedKey  = "repeated-key"        // a key stands twice in one mapping
	RuleUnknownKey   = "unknown-key"         // nothing is called so
	RuleMissingKey   = "missing-key"         // something must be there
	RuleNull         = "null-value"          // a key without a value
	RuleType         = "wrong-type"          // a list where a mapping belongs, a text where a number does
	RuleTag          = "yaml-tag"            // a YAML tag such as !secret
	RuleValue        = "bad-value"           // the value is not one of those that may stand there
	RuleReserved     = "reserved"            // a word or form that a later version will use
	RuleName         = "duplicate-name"      // two probes of one name
	RuleKind         = "kind"                // no kind block, or more than one
	RuleLabel        = "bad-label"           // not a legal label name, or a reserved one
	RuleBothReasons  = "reason-in-both"      // a reason is declared both transient and permanent
	RuleBudget       = "budget-conflict"     // different retry budgets for one host
	RuleSettings     = "settings"            // what the fields of a kind's block owe each other
	RuleNoProbes     = "no-probes"           // the list of probes is empty
	RuleNeverFires   = "limit-never-fires"   // a limit that another one always beats
	RuleLongDeadline = "deadline-over-due"   // a run may last until after the next is due
	RuleWorstCase    = "worst-case-over-due" // without a deadline, a run at its worst lasts that long
	RuleNoRetry      = "retry-never-fits"    // the first wait alone reaches the deadline
	RuleNoGrowth     = "base-over-cap"       // the cap cuts the very first wait
	RuleMore         = "more"                // there are more problems than are shown
)
