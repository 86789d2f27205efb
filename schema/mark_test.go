package schema

import "testing"

// TestMarksTellSecretsApart: two views that read alike differ by a mark where what they hide differs.
func TestMarksTellSecretsApart(t *testing.T) {
	t.Parallel()
	password := func(text string) Value {
		list := parse(t, "probes:\n- {name: a, fake: {address: a:1, password: "+text+"}}\n").Effective()[0].Values
		block := list[len(list)-1].Values
		return block[len(block)-1]
	}
	one, same, other := password("12345678"), password(`"12345678"`), password("87654321")
	if one.Path != "fake.password" || one.Text != "<secret>" || other.Text != "<secret>" {
		t.Fatalf("the values are %+v and %+v, want two masked passwords", one, other)
	}
	if one.Mark == 0 || one.Mark != same.Mark || one.Mark == other.Mark {
		t.Errorf("marks of a secret, the same and another: %d, %d, %d", one.Mark, same.Mark, other.Mark)
	}
	if shown := parse(t, "probes:\n- {name: a, plain: {address: a}}\n").Effective()[0].Values[0]; shown.Mark != 0 {
		t.Errorf("the name has mark %d, want 0: nothing is hidden", shown.Mark)
	}
}
