//go:build !js || lab

package playground

// The messages of the calls that use package patchlab: each concerns objects that the message
// contains, without a scenario. They are used by the npm package of the engine
// (web/packages/engine), whose TypeScript types are generated from these structs.

// LabOptions select the known kinds.
type LabOptions struct {
	// Kubernetes is the version of the built-in kinds, "" for the default.
	Kubernetes string `json:"kubernetes"`
	// Definitions are texts in YAML or JSON with one or more CustomResourceDefinitions.
	Definitions []string `json:"definitions"`
}

// LabKindsInput requests a check of options.
type LabKindsInput struct {
	Lab LabOptions `json:"lab"`
}

// LabKindsOutput lists the supported Kubernetes versions, the newest last.
type LabKindsOutput struct {
	Versions []string `json:"versions"`
}

// LabChangeInput requests the result of a change.
type LabChangeInput struct {
	Lab LabOptions `json:"lab"`
	// Live is the object, "" for none; Change is the manifest or patch.
	Live   string `json:"live"`
	Change string `json:"change"`
	// Action is an action of package patchlab, or "patch" for a patch whose type is detected
	// from its contents.
	Action          string `json:"action"`
	FieldManager    string `json:"fieldManager"`
	Force           bool   `json:"force"`
	Subresource     string `json:"subresource"`
	FieldValidation string `json:"fieldValidation"`
	Namespace       string `json:"namespace"`
}

// LabChangeOutput is the resulting object, or the reason for which the change was refused.
type LabChangeOutput struct {
	Target       Target `json:"target"`
	Action       string `json:"action"`
	FieldManager string `json:"fieldManager"`
	// Created and Changed describe the effect of an accepted change.
	Created bool `json:"created"`
	Changed bool `json:"changed"`
	// Object is the resulting object in JSON with managedFields, and YAML the same in YAML;
	// both are "" if the change was refused.
	Object   string       `json:"object"`
	YAML     string       `json:"yaml"`
	Managers []Manager    `json:"managers"`
	Owners   []FieldOwner `json:"owners"`
	Changes  []LabChange  `json:"changes"`
	Warnings []string     `json:"warnings"`
	Notes    []string     `json:"notes"`
	// Conflicts are the conflicts of a refused change.
	Conflicts []LabConflict `json:"conflicts"`
	// Refusal is null if the change was accepted.
	Refusal *Refusal `json:"refusal"`
}

// FieldOwner is a field in managedFields. Managers are indexes of the managers in the same
// response.
type FieldOwner struct {
	Path     string `json:"path"`
	Managers []int  `json:"managers"`
}

// LabChange is a field that differs. Before and After are JSON, "" if absent.
type LabChange struct {
	Path         string   `json:"path"`
	Effect       string   `json:"effect"`
	Before       string   `json:"before"`
	After        string   `json:"after"`
	OwnersBefore []string `json:"ownersBefore"`
	OwnersAfter  []string `json:"ownersAfter"`
}

// LabConflict is a field that an apply would change although another manager owns it. Live and
// Wanted are JSON, "" if absent.
type LabConflict struct {
	Path    string  `json:"path"`
	Manager Manager `json:"manager"`
	Live    string  `json:"live"`
	Wanted  string  `json:"wanted"`
	// Line and Column are the field's position in the apply configuration.
	Line   int   `json:"line"`
	Column int   `json:"column"`
	Ways   []Way `json:"ways"`
}

// Refusal describes a change that the API server would refuse, or that cannot be sent.
type Refusal struct {
	Message string `json:"message"`
	// Code and Reason are the API server's, 0 and "" if the change cannot be sent.
	Code   int            `json:"code"`
	Reason string         `json:"reason"`
	Line   int            `json:"line"`
	Column int            `json:"column"`
	Fields []RefusedField `json:"fields"`
}

// RefusedField is an invalid field of the change, or an invalid option. Value is JSON, "" if
// unknown.
type RefusedField struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
	Value   string `json:"value"`
	Hint    string `json:"hint"`
}

// LabObjectInput requests information about an object.
type LabObjectInput struct {
	Lab LabOptions `json:"lab"`
	// Object is the object with its managedFields, YAML or JSON.
	Object string `json:"object"`
	// Path is the requested field, "" for all.
	Path string `json:"path"`
}

// LabOwnersOutput lists the owners of fields.
type LabOwnersOutput struct {
	Managers []Manager    `json:"managers"`
	Owners   []FieldOwner `json:"owners"`
}

// LabExplainOutput describes fields.
type LabExplainOutput struct {
	Managers []Manager   `json:"managers"`
	Fields   []Explained `json:"fields"`
}

// Explained describes a field. Value is JSON; Line is the line in the object's YAML without
// managedFields.
type Explained struct {
	Path  string `json:"path"`
	Value string `json:"value"`
	Line  int    `json:"line"`
	// Merges describes how the field merges.
	Merges   string `json:"merges"`
	Managers []int  `json:"managers"`
}

// LabCompareInput requests the differences between two states of an object.
type LabCompareInput struct {
	Lab    LabOptions `json:"lab"`
	Before string     `json:"before"`
	After  string     `json:"after"`
}

// LabCompareOutput lists the fields that differ.
type LabCompareOutput struct {
	Changes []LabChange `json:"changes"`
}
