package kinds

import (
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// taintEffects are the effects of taints, in the order in which messages list them.
const taintEffects = "NoSchedule,PreferNoSchedule,NoExecute"

// tolerations validates the tolerations of a pod or a RuntimeClass.
func (c *check) tolerations(list field) {
	for i := range list.items() {
		toleration := list.item(i)
		key, operator, value, effect := toleration.get("key"), toleration.get("operator"), toleration.get("value"), toleration.get("effect")
		c.syntaxIfSet(key, names.QualifiedName)
		if key.isEmpty() && operator.text() != "Exists" {
			c.invalidText(operator, operator.text(), "operator must be Exists when `key` is empty, which means \"match all values and all keys\"")
		}
		if seconds := toleration.get("tolerationSeconds"); seconds.isSet() && effect.text() != "NoExecute" {
			c.invalidText(effect, effect.text(), "effect must be 'NoExecute' when `tolerationSeconds` is set")
		}
		switch operator.text() {
		case "", "Equal":
			if why := names.LabelValue(value.text()); why != "" {
				c.invalidText(operator, value.text(), joined(why, ";"))
			}
		case "Exists":
			if !value.isEmpty() {
				c.invalidText(operator, value.text(), "value must be empty when `operator` is 'Exists'")
			}
		case "Lt", "Gt": // require a disabled feature gate, but are listed
			c.notSupported(operator, "Equal,Exists,Lt,Gt")
		default:
			c.notSupported(operator, "Equal,Exists")
		}
		if !effect.isEmpty() {
			c.oneOf(effect, taintEffects)
		}
	}
}
