package schema

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// everySort has a field of every sort that a page tells apart.
type everySort struct {
	Count  int              `yaml:"count" validate:"min=1,max=9" example:"3"`
	Mode   string           `yaml:"mode" validate:"required,oneof=fast slow"`
	Codes  codes            `yaml:"codes"`
	Named  map[string]inner `yaml:"named" validate:"omitempty,min=2,dive"`
	Limit  limit            `yaml:"limit" preset:"as long as it takes"`
	Behind *inner           `yaml:"behind"`
	Wait   time.Duration    `yaml:"wait"`
	Unread string
}

type inner struct {
	On bool `yaml:"on"`
}

// TestShapeOf holds what pages are made of: the facts of tags, types and defaults, each in its place.
func TestShapeOf(t *testing.T) {
	t.Parallel()
	on := []Key{{Name: "on", GoName: "On", Default: false, Shape: Shape{Wanted: "true or false"}}}
	want := []Key{
		{Name: "count", GoName: "Count", Default: 4, Example: "3", Shape: Shape{Wanted: "1 to 9", Least: "1", Most: "9"}},
		{Name: "mode", GoName: "Mode", Required: true, Shape: Shape{Wanted: "text", Words: []string{"fast", "slow"}}},
		{Name: "codes", GoName: "Codes", Shape: Shape{
			Wanted: "a code such as 200 or 2xx, or a list of such", OneOrMany: true,
			Element: &Shape{Scalar: true, Wanted: "a code such as 200 or 2xx"},
		}},
		{Name: "named", GoName: "Named", Shape: Shape{
			Wanted: "2 keys or more", Least: "2", ZeroPasses: true, Element: &Shape{Wanted: "a mapping with the key on", Keys: on},
		}},
		{Name: "limit", GoName: "Limit", Preset: "as long as it takes", Shape: Shape{Scalar: true, Wanted: wantDuration + ", or none"}},
		{Name: "behind", GoName: "Behind", Shape: Shape{Wanted: "a mapping with the key on", Keys: on}},
		{Name: "wait", GoName: "Wait", Shape: Shape{Scalar: true, Wanted: wantDuration}},
	}
	got := ShapeOf(&everySort{Count: 4, Limit: unset, Behind: &inner{On: true}})
	if diff := cmp.Diff(want, got.Keys, cmpopts.IgnoreFields(Shape{}, "Type", "Own")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for i, typ := range []reflect.Type{5: reflect.TypeFor[inner](), 6: reflect.TypeFor[time.Duration]()} {
		if typ != nil && got.Keys[i].Type != typ {
			t.Errorf("%s is of type %v, want %v", got.Keys[i].Name, got.Keys[i].Type, typ)
		}
		if own := got.Keys[i].Own != nil; own != (i == 4 || i == 6) {
			t.Errorf("%s has a JSON Schema of its own: %v", got.Keys[i].Name, own)
		}
	}
}
