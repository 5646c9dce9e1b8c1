package admission

import (
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	devicecel "k8s.io/dynamic-resource-allocation/cel"

	"github.com/patchlab-dev/patchlab/document"
)

// deviceFeatures are the feature gates of Kubernetes 1.36 that change what a selector can
// refer to.
var deviceFeatures = devicecel.Features{EnableConsumableCapacity: true}

// deviceClass checks the selectors of a DeviceClass.
func (c *expressionChecker) deviceClass(spec document.Value) {
	c.selectors(spec, field.NewPath("spec"))
}

// deviceClaim checks the selectors of the spec of a ResourceClaim, which is at the given path.
// Selectors in lists that are too long, and in requests with both exactly and firstAvailable, are not
// compiled, because package kinds refuses those as a whole.
func (c *expressionChecker) deviceClaim(spec document.Value, at *field.Path) {
	at = at.Child("devices", "requests")
	requests := spec.Lookup("devices", "requests")
	if requests.Len() > resourcev1.DeviceRequestsMaxSize {
		return
	}
	for i, request := range requests.Items() {
		exactly, alternatives := request.Get("exactly"), request.Get("firstAvailable")
		if exactly.Exists() && alternatives.Len() > 0 || alternatives.Len() > resourcev1.FirstAvailableDeviceRequestMaxSize {
			continue
		}
		c.selectors(exactly, at.Index(i).Child("exactly"))
		for j, sub := range alternatives.Items() {
			c.selectors(sub, at.Index(i).Child("firstAvailable").Index(j))
		}
	}
}

// selectors compiles the selectors of devices. Expressions that are empty or too long are refused by
// package kinds and not compiled; blank ones are compiled, unlike those of policies.
func (c *expressionChecker) selectors(owner document.Value, at *field.Path) {
	list := owner.Get("selectors")
	if list.Len() > resourcev1.DeviceSelectorsMaxSize {
		return
	}
	for i, selector := range list.Items() {
		text := selector.Lookup("cel", "expression").StringOr("")
		if text == "" || len(text) > resourcev1.CELSelectorExpressionMaxLength {
			continue
		}
		at := at.Child("selectors").Index(i).Child("cel", "expression")
		c.compile(at, text, func(mode environment.Type) *apiservercel.Error {
			result := devicecel.GetCompiler(deviceFeatures).CompileCELExpression(text, devicecel.Options{EnvType: &mode})
			if result.Error == nil && result.MaxCost > resourcev1.CELSelectorExpressionMaxCost {
				c.errs = append(c.errs, field.Forbidden(at, "too complex, exceeds cost limit"))
			}
			return result.Error
		})
	}
}
