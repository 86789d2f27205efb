package probe

// Metrics says which series a probe has, for whoever counts. The zero value is all of them.
type Metrics struct {
	// Histograms says which buckets the probe's histograms have.
	Histograms Histograms
	// NoReasons has what is counted by reason counted in one series, without the labels reason and stop.
	NoReasons bool
	// NoGauges leaves out what blackbox_exporter's names tell of the last run.
	NoGauges bool
}

// Histograms says which buckets histograms have; a closed set.
type Histograms string

// Which buckets histograms have.
const (
	HistogramsBoth    Histograms = ""
	HistogramsNative  Histograms = "native"
	HistogramsClassic Histograms = "classic"
	HistogramsOff     Histograms = "off" // there are no histograms
)
