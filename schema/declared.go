package schema

import (
	"fmt"

	"sonde/probe"
)

// Declared is one probe of a set, enabled or not, for whoever asks more of it than to run.
type Declared struct {
	Name string
	// Base is the name under which it is declared: Name itself, but for one of several targets.
	Base    string
	Enabled bool
	// Lacks is true of a probe that cannot be run here: in a World whose Absent is true, a placeholder stands for
	// something in it, or a file that it names is not there.
	Lacks bool
	// Source is where the probe is declared, file:line.
	Source string
	// Settings are the kind's block, and Env what else its kind is told of the probe. Both may hold secrets.
	Settings probe.Settings
	Env      probe.Env

	definition *definition
}

// Declared returns all probes, disabled ones too, in the order in which the files declare them.
func (s *Set) Declared() []Declared {
	list := make([]Declared, len(s.definitions))
	for i, d := range s.definitions {
		list[i] = Declared{
			Name: d.name, Base: d.baseName, Enabled: d.common.Enabled, Lacks: d.lacks, Source: d.where(),
			Settings: d.settings, Env: d.env(), definition: d,
		}
	}
	return list
}

// Build makes the probe anew, a disabled one too, whose run is like any other's. Whoever calls it closes
// the prober. It reads the files that the block names once more; the error says which cannot be used.
func (d Declared) Build() (*probe.Probe, error) {
	prober, err := d.Settings.Prober(d.Env)
	if err != nil {
		return nil, fmt.Errorf("%s: probe %s: %s: %w", d.Source, d.Name, d.definition.kind, d.Env.Secrets.Error(err))
	}
	return d.definition.assemble(prober, d.definition.digest(d.definition.contents())), nil
}
