package schema

// The rules that a file can break. The names are a promise: they stand in reports and in what people
// switch off.
const (
	RuleEncoding     = "encoding"
	RuleTooLarge     = "too-large"
	RuleEmpty        = "empty-file"
	RuleSyntax       = "syntax"
	RuleSecondDoc    = "second-document"
	RuleAliases      = "alias-bomb"
	RuleDeep         = "too-deep"
	RuleRepeatedKey  = "repeated-key"
	RuleUnknownKey   = "unknown-key"
	RuleMissingKey   = "missing-key"
	RuleNull         = "null-value"
	RuleType         = "wrong-type"
	RuleTag          = "yaml-tag"
	RuleValue        = "bad-value"
	RuleName         = "duplicate-name"
	RuleKind         = "kind"
	RuleLabel        = "bad-label"
	RuleBothReasons  = "reason-in-both"
	RuleBudget       = "budget-conflict"
	RulePerHost      = "per-host-conflict"
	RuleSettings     = "settings"
	RuleProfile      = "unknown-profile"
	RuleTarget       = "bad-target"
	RuleUnusedField  = "unused-field"
	RuleTemplate     = "bad-template"
	RuleFill         = "cannot-fill"
	RulePublic       = "filled-in-public"
	RuleUnreadable   = "unreadable-file"
	RuleCycle        = "include-cycle"
	RuleMore         = "more"
	RuleNoProbes     = "no-probes"
	RuleUnused       = "unused-profile"
	RuleNoTargets    = "no-targets"
	RuleNoMatch      = "no-match"
	RuleNeverFires   = "limit-never-fires"
	RuleLongDeadline = "deadline-over-due"
	RuleWorstCase    = "worst-case-over-due"
	RuleNoRetry      = "retry-never-fits"
	RuleNoGrowth     = "base-over-cap"
	RuleFewFit       = "attempts-never-fit"
	RuleHang         = "hang-never-retried"
	RuleNoLimit      = "limit-none"
	RuleHostLoad     = "host-load"
	RuleQueue        = "per-host-too-few"
	RuleNotKept      = "connection-not-kept"
	RuleSecret       = "literal-secret"
	RuleVariable     = "bare-variable"
	RuleExported     = "exported-label"
)

// The rules that kinds break: they name them in probe.Fault.
const (
	RulePermanent = "permanent-status"
	RuleRepeat    = "unsafe-repeat"
	RulePlain     = "plain-credentials"
)

// RuleInfo is one row of the table of rules.
type RuleInfo struct {
	Name string
	// Warning is true of rules whose breach lets the file work all the same. A breach of settings can
	// be either.
	Warning bool
	// Help is one sentence for the reference.
	Help string
}

// ruleTable is in the order of the reference.
var ruleTable = []RuleInfo{
	{RuleEncoding, false, "The text is not UTF-8, or holds a control character."},
	{RuleTooLarge, false, "The file is over 32 MiB, or holds more than one and a half million values."},
	{RuleEmpty, false, "The file holds nothing but white space and comments."},
	{RuleSyntax, false, "The text is not YAML."},
	{RuleSecondDoc, false, "A second document follows after `---`; it would be read by nobody."},
	{RuleAliases, false, "Aliases, or profiles and targets, expand to more values than any file needs, or lead into themselves."},
	{RuleDeep, false, "Values are nested more than 100 levels deep."},
	{RuleRepeatedKey, false, "A key stands twice in one mapping."},
	{RuleUnknownKey, false, "Nothing is called so, or not there."},
	{RuleMissingKey, false, "A key that must be there is not."},
	{RuleNull, false, "A key has no value."},
	{RuleType, false, "A value is of the wrong sort: a list where a mapping belongs, text where a number does."},
	{RuleTag, false, "A value bears a YAML tag such as `!secret`; there are none."},
	{RuleValue, false, "A value is of the right sort, but not one that may stand there."},
	{RuleName, false, "Two probes, or two profiles, have one name; or a name with that of its target is too long."},
	{RuleKind, false, "A probe has no kind block, or more than one."},
	{RuleLabel, false, "A label's name is not legal, or taken."},
	{RuleBothReasons, false, "A reason is declared both transient and permanent."},
	{RuleBudget, false, "Probes of one host have different retry budgets."},
	{RulePerHost, false, "Probes of one host bound its connections differently."},
	{RuleSettings, false, "The keys of a kind block do not go together."},
	{RuleProfile, false, "A probe uses a profile that neither its file nor one that is included declares."},
	{RuleTarget, false, "A target has no value that can be filled in, or none of which a name can be made."},
	{RuleUnusedField, false, "A target has a field that no value of the probe names."},
	{RuleTemplate, false, "`${` or `{{` is not written as it should be, or `{{…}}` names what the target does not have."},
	{RuleFill, false, "What is to be filled in is not there: a variable is not set or is empty, or a file cannot be read. Or it cannot stand there, as a / in a URL's host."},
	{RulePublic, false, "A value is to be filled in where it would be shown, as in a name, a label or an interval."},
	{RuleUnreadable, false, "A file that `include` or `targets_from` names cannot be read."},
	{RuleCycle, false, "Files include each other in a circle."},
	{RuleMore, false, "There are more problems than are shown."},
	{RuleNoProbes, true, "The list of probes is empty, or all of them are disabled."},
	{RuleUnused, true, "No probe uses a profile."},
	{RuleNoTargets, true, "A probe has no targets, so that nothing is probed."},
	{RuleNoMatch, true, "A pattern matches no file."},
	{RuleNeverFires, true, "A limit can never fire, because another one always ends the attempt or the run before."},
	{RuleLongDeadline, true, "A run may last until after the next is due, which is then skipped."},
	{RuleWorstCase, true, "There is no deadline, and a run at its worst lasts until after the next is due."},
	{RuleNoRetry, true, "The first wait alone reaches the deadline, so that there is never a second attempt."},
	{RuleNoGrowth, true, "The wait after the first attempt is over the cap already, or jitter leaves nothing of the cap for it."},
	{RuleFewFit, true, "The waits alone reach the deadline before the last attempts, which are never made."},
	{RuleHang, true, "A target that hangs takes up the whole run: no limit ends its attempt in time for a second one."},
	{RuleNoLimit, true, "A limit of an attempt is lifted."},
	{RuleHostLoad, true, "The probes of one host may send it more than 600 requests a minute when it fails."},
	{RuleQueue, true, "While a host hangs, its probes want more connections at a time than per_host allows, so that some are unknown instead of down."},
	{RuleNotKept, true, "A probe that keeps no connection says how long one is kept."},
	{RuleSecret, true, "A credential stands in the file as it is."},
	{RuleVariable, true, "A value is $NAME, or a URL, an address or a header holds it or $(NAME), which is taken as it stands and filled in by nothing."},
	{RuleExported, true, "A file of targets has a label that the metrics have already; it is borne under another name."},
	{RulePermanent, true, "A status that another attempt does not change is retryable."},
	{RuleRepeat, true, "A request that is not safe to repeat may be sent again after silence."},
	{RulePlain, true, "Credentials are sent over plain HTTP."},
}

// Rules returns the table of rules, in the order of the reference.
func Rules() []RuleInfo { return append([]RuleInfo(nil), ruleTable...) }
