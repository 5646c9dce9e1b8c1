//go:build !js || lab

package playground

// The messages of the calls that stand on the facade, package patchlab: each is
// about objects that the message itself holds, without a scenario. The npm package
// of the engine asks them (web/packages/engine), and its TypeScript types are
// written from these structs.

// LabOptions say which kinds are known.
type LabOptions struct {
	// Kubernetes is the version of the built-in kinds, "" for the newest.
	Kubernetes string `json:"kubernetes"`
	// Definitions are CustomResourceDefinitions, YAML or JSON, each text one or
	// several documents.
	Definitions []string `json:"definitions"`
}

// LabKindsInput asks whether options can be used.
type LabKindsInput struct {
	Lab LabOptions `json:"lab"`
}

// LabKindsOutput lists the Kubernetes versions that are known, the newest last.
type LabKindsOutput struct {
	Versions []string `json:"versions"`
}

// LabChangeInput asks what becomes of an object.
type LabChangeInput struct {
	Lab LabOptions `json:"lab"`
	// Live is the object, "" for none; Change is the manifest or patch.
	Live   string `json:"live"`
	Change string `json:"change"`
	// Action is one of the actions of package patchlab, or "patch" for a patch of
	// the type that it looks like.
	Action          string `json:"action"`
	FieldManager    string `json:"fieldManager"`
	Force           bool   `json:"force"`
	Subresource     string `json:"subresource"`
	FieldValidation string `json:"fieldValidation"`
	Namespace       string `json:"namespace"`
}

// LabChangeOutput is what becomes of the object, or why nothing does.
type LabChangeOutput struct {
	Target       Target `json:"target"`
	Action       string `json:"action"`
	FieldManager string `json:"fieldManager"`
	// Created and Changed say what a change that was accepted did to the object.
	Created bool `json:"created"`
	Changed bool `json:"changed"`
	// Object is the object after the change, as JSON with managedFields, and YAML
	// the same as YAML; both are "" where the change was refused.
	Object   string       `json:"object"`
	YAML     string       `json:"yaml"`
	Managers []Manager    `json:"managers"`
	Owners   []FieldOwner `json:"owners"`
	Changes  []LabChange  `json:"changes"`
	Warnings []string     `json:"warnings"`
	Notes    []string     `json:"notes"`
	// Conflicts are those that the change was refused for.
	Conflicts []LabConflict `json:"conflicts"`
	// Refusal is null where the change was accepted.
	Refusal *Refusal `json:"refusal"`
}

// FieldOwner is a field that managedFields name. Managers are positions in the
// managers of the same answer.
type FieldOwner struct {
	Path     string `json:"path"`
	Managers []int  `json:"managers"`
}

// LabChange is a field that differs. Before and After are JSON, "" for no value.
type LabChange struct {
	Path         string   `json:"path"`
	Effect       string   `json:"effect"`
	Before       string   `json:"before"`
	After        string   `json:"after"`
	OwnersBefore []string `json:"ownersBefore"`
	OwnersAfter  []string `json:"ownersAfter"`
}

// LabConflict is a field that an apply would change while another manager owns it.
// Live and Wanted are JSON, "" for no value.
type LabConflict struct {
	Path    string  `json:"path"`
	Manager Manager `json:"manager"`
	Live    string  `json:"live"`
	Wanted  string  `json:"wanted"`
	// Line and Column are the field's place in the applied configuration.
	Line   int   `json:"line"`
	Column int   `json:"column"`
	Ways   []Way `json:"ways"`
}

// Refusal is a change that the API server would refuse, or that is not sent.
type Refusal struct {
	Message string `json:"message"`
	// Code and Reason are the API server's, 0 and "" where it is not asked.
	Code   int            `json:"code"`
	Reason string         `json:"reason"`
	Line   int            `json:"line"`
	Column int            `json:"column"`
	Fields []RefusedField `json:"fields"`
}

// RefusedField is a field, or an option of the change, that is wrong. Value is
// JSON, "" where it is not known.
type RefusedField struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
	Value   string `json:"value"`
	Hint    string `json:"hint"`
}

// LabObjectInput asks about an object.
type LabObjectInput struct {
	Lab LabOptions `json:"lab"`
	// Object is the object with its managedFields, YAML or JSON.
	Object string `json:"object"`
	// Path is the field that is asked about, "" for all.
	Path string `json:"path"`
}

// LabOwnersOutput are the owners of fields.
type LabOwnersOutput struct {
	Managers []Manager    `json:"managers"`
	Owners   []FieldOwner `json:"owners"`
}

// LabExplainOutput describes fields.
type LabExplainOutput struct {
	Managers []Manager   `json:"managers"`
	Fields   []Explained `json:"fields"`
}

// Explained describes a field. Value is JSON; Line is that of the object's YAML
// without managedFields.
type Explained struct {
	Path  string `json:"path"`
	Value string `json:"value"`
	Line  int    `json:"line"`
	// Merges says how the field merges.
	Merges   string `json:"merges"`
	Managers []int  `json:"managers"`
}

// LabCompareInput asks what differs between two states of an object.
type LabCompareInput struct {
	Lab    LabOptions `json:"lab"`
	Before string     `json:"before"`
	After  string     `json:"after"`
}

// LabCompareOutput are the fields that differ.
type LabCompareOutput struct {
	Changes []LabChange `json:"changes"`
}
