package kinds

import (
	"testing"

	"github.com/patchlab-dev/patchlab/schema"
)

// TestDevicesInMessages checks that messages show a device in the status of a ResourceClaim by what identifies it.
// kube-apiserver 1.36.3 answers the same, except that it does not sort the members of the object.
func TestDevicesInMessages(t *testing.T) {
	const share = "00000000-0000-4000-8000-000000000001"
	allocation := parse(t, `{"devices":{"results":[{"driver":"one.io","pool":"p","device":"d"},{"driver":"one.io","pool":"p","device":"e","shareID":"`+share+`"}]}}`)
	for _, c := range []struct{ why, devices, want string }{
		{"a device twice", `[{"driver":"one.io","pool":"p","device":"d"},{"driver":"one.io","pool":"p","device":"d"}]`,
			`devices[1]: Duplicate value: {"Device":"d","Driver":"one.io","Pool":"p","ShareID":""}`},
		{"a share twice", `[{"driver":"one.io","pool":"p","device":"e","shareID":"` + share + `"},{"driver":"one.io","pool":"p","device":"e","shareID":"` + share + `"}]`,
			`devices[1]: Duplicate value: {"Device":"e","Driver":"one.io","Pool":"p","ShareID":"` + share + `"}`},
		{"a device that is not allocated", `[{"driver":"other.io","pool":"p","device":"d"}]`,
			`devices[0]: Invalid value: {"Device":"d","Driver":"other.io","Pool":"p","ShareID":""}: must be an allocated device in the claim`},
		{"a share that is not allocated", `[{"driver":"one.io","pool":"p","device":"d","shareID":"` + share + `"}]`,
			`devices[0]: Invalid value: {"Device":"d","Driver":"one.io","Pool":"p","ShareID":"` + share + `"}: must be an allocated device in the claim`},
		{"each once", `[{"driver":"one.io","pool":"p","device":"d"},{"driver":"one.io","pool":"p","device":"e","shareID":"` + share + `"}]`, ""},
	} {
		status := parse(t, `{"devices":`+c.devices+`}`)
		check := newCheck(&schema.Kind{}, "", status)
		validateDeviceStatuses(check, check.root(status).get("devices"), allocation)
		got := ""
		for _, e := range check.errs {
			got += e.Error()
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.why, got, c.want)
		}
		check.release()
	}
}
