package defaults

import _ "embed" // the rules

// The rule files. An embed.FS would also link the code that lists directories.
var (
	//go:embed rules/access.rules
	accessRules string
	//go:embed rules/core.rules
	coreRules string
	//go:embed rules/disabled.rules
	disabledRules string
	//go:embed rules/network.rules
	networkRules string
	//go:embed rules/pod.rules
	podRules string
	//go:embed rules/resource.rules
	resourceRules string
	//go:embed rules/storage.rules
	storageRules string
	//go:embed rules/volume.rules
	volumeRules string
	//go:embed rules/workload.rules
	workloadRules string
)

type ruleFile struct{ name, text string }

func files() []ruleFile {
	return []ruleFile{
		{"access.rules", accessRules},
		{"core.rules", coreRules},
		{"disabled.rules", disabledRules},
		{"network.rules", networkRules},
		{"pod.rules", podRules},
		{"resource.rules", resourceRules},
		{"storage.rules", storageRules},
		{"volume.rules", volumeRules},
		{"workload.rules", workloadRules},
	}
}
