package pages

import (
	"sonde/probe"
	"sonde/schema"
)

// oneOrMore is one text or a list of such.
func oneOrMore(name, description, example string) object {
	one := object{"type": scalarTypes}
	return described(object{
		"anyOf": []any{one, object{"type": "array", "items": one}}, "examples": []any{example},
	}, name, description)
}

// profiles is the schema of the block profiles: common keys and kind blocks, none of them needed.
func (g *generator) profiles(kinds []probe.Kind) object {
	s := g.common()
	properties := s["properties"].(object)
	for _, k := range kinds {
		properties[k.Name] = g.block(k)
	}
	return described(object{
		"type": "object", "propertyNames": object{"pattern": g.language.Name, "maxLength": g.language.MaxName}, "additionalProperties": s,
	}, "profiles", "Named sets of values: common keys, and keys of kind blocks. A probe takes them by use; they beat defaults.")
}

// block is the schema of a kind block. What it needs may come from a profile.
func (g *generator) block(k probe.Kind) object {
	shape := schema.ShapeOf(k.New())
	s := g.structure(shape)
	delete(s, "required")
	return g.shared("kind-"+k.Name, described(s, k.Name, g.comment(shape.Type).text))
}

// needs are the keys that a kind block needs, where no profile can give them.
func (g *generator) needs(kinds []probe.Kind) object {
	properties := object{}
	for _, k := range kinds {
		if required := g.structure(schema.ShapeOf(k.New()))["required"]; required != nil {
			properties[k.Name] = object{"required": required}
		}
	}
	return object{"properties": properties}
}

// oneKind says that a probe has one kind block, or, where it uses profiles, at most one.
func oneKind(kinds []probe.Kind) object {
	var one []any
	for _, k := range kinds {
		one = append(one, object{"required": []string{k.Name}})
	}
	none := object{"required": []string{"use"}, "not": object{"anyOf": one}}
	return object{"oneOf": append(append([]any{}, one...), none)}
}

// reuse adds the keys of a probe that take values from elsewhere.
func (g *generator) reuse(properties object) {
	properties["use"] = oneOrMore("use", "The profiles whose values the probe takes where it does not say otherwise; a later one beats an earlier one.", "slow")
	field := object{"type": scalarTypes}
	properties["targets"] = described(object{
		"type": "array", "items": object{"anyOf": []any{field, object{
			"type": "object", "additionalProperties": field, "properties": object{
				"name":   described(object{"type": scalarTypes, "pattern": g.language.Name}, "name", "What is added to the probe's name, after a dot."),
				"target": described(field, "target", "What {{target}} stands for."),
				"labels": described(object{"type": "object", "additionalProperties": field}, "labels", "Labels of this target's probe, beside the probe's own; each is {{target.labels.NAME}}, too."),
			},
		}}}, "examples": []any{[]string{"eu.example.com", "us.example.com"}},
	}, "targets", "Makes a probe of each of these: values, which {{target}} stands for, or mappings, whose fields are {{target.FIELD}}.")
	properties["targets_from"] = described(g.structure(g.language.TargetsFrom), "targets_from",
		"Targets of files in Prometheus' file_sd form, which are read anew when they change.")
	properties["targets_from"].(object)["required"] = []string{"file"}
}

// fillable lets a value also be filled in, where values are.
func (g *generator) fillable(s object) object {
	if g.verbatim {
		return s
	}
	return object{"anyOf": []any{s, object{"$ref": "#/definitions/filled"}}}
}

// filledSchema is a text in which something is filled in.
var filledSchema = object{
	"description": "A value that is filled in: ${NAME}, ${NAME:-default}, ${file:PATH}, ${cred:NAME}, {{target}} or {{target.FIELD}}.",
	"type":        "string", "pattern": `\$\{|\{\{`,
}
