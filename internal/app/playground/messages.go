package playground

// The messages between the page and its worker. A state ("at", "against") is the number of
// steps of the scenario that have been run: 0 is the state before the first step. Lines and
// columns count from 1, columns in characters; 0 is unknown. A manager is given by its index
// in Object.Managers and, in the state before the first step, an object ("object") by its
// index in RunOutput.Objects.

// Scenario is the state of the page. Package scenario defines its meaning.
type Scenario struct {
	Title       string   `json:"title"`
	About       string   `json:"about"`
	Kubernetes  string   `json:"kubernetes"`
	Definitions []string `json:"definitions"`
	// Objects are the initial live objects of the scenario.
	Objects []string `json:"objects"`
	Actors  []Actor  `json:"actors"`
	Steps   []Step   `json:"steps"`
	// Race holds the changes of actors at the same time, each as JSON. The page keeps
	// them and does not run them.
	Race []string `json:"race"`
}

// Actor is a user or controller who sends requests.
type Actor struct {
	Name   string `json:"name"`
	Colour string `json:"colour"`
}

// Step is one request.
type Step struct {
	Actor       string `json:"actor"`
	Do          string `json:"do"`
	Subresource string `json:"subresource"`
	Target      Target `json:"target"`
	Body        string `json:"body"`
	Note        string `json:"note"`
	// Expect is what the step is expected to do, as JSON; "" for nothing. The page keeps
	// it, and 'patchlab run' compares it.
	Expect string `json:"expect"`
}

// Target identifies an object.
type Target struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
}

// Mark is a position in a text with an error message.
type Mark struct {
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

// Failure is the error of a request to the engine.
type Failure struct {
	Message string `json:"message"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
}

// AboutInput requests general information.
type AboutInput struct{}

// AboutOutput is the information that a page needs before the first scenario.
type AboutOutput struct {
	// Versions are the Kubernetes versions, the newest last.
	Versions []string `json:"versions"`
	// Version is the one of a scenario that names none.
	Version string `json:"version"`
	// Actions are the types of steps.
	Actions []string `json:"actions"`
}

// RunInput requests to run a scenario and to show one of its states.
type RunInput struct {
	Scenario Scenario `json:"scenario"`
	// At is the number of the state to show.
	At int `json:"at"`
	// Against is the number of the state to compare it with.
	Against int `json:"against"`
	// Changes is the maximum number of changes to return, 0 for all.
	Changes int `json:"changes"`
	// Object is the index in RunOutput.Objects of the object to show before the first step.
	Object int `json:"object"`
}

// RunOutput is the result of the steps, and the requested state.
type RunOutput struct {
	Steps       []StepResult       `json:"steps"`
	Definitions []DefinitionResult `json:"definitions"`
	// Objects are the initial objects of the scenario.
	Objects []ExistingObject `json:"objects"`
	At      int              `json:"at"`
	Against int              `json:"against"`
	// Object is the object of the last step before the state, null if there is none.
	Object *Object `json:"object"`
	// Rows are the object's lines, including those removed since Against. Where the request
	// refers to the rows of another response, they are only those between the first KeptBefore
	// and the last KeptAfter of these, which are the same.
	Rows       []Row `json:"rows"`
	KeptBefore int   `json:"keptBefore"`
	KeptAfter  int   `json:"keptAfter"`
	// Changes are the first of the fields that differ from Against, up to the requested
	// number.
	Changes []Change `json:"changes"`
	// Changed is the total number of fields that differ.
	Changed int `json:"changed"`
	// Conflicts are the conflicts with which the last step of the state failed.
	Conflicts []Conflict `json:"conflicts"`
	// RulesNotRun and PoliciesNotRun are the numbers of CEL rules of the shown object's kind
	// and of admission policies that the engine did not evaluate.
	RulesNotRun    int `json:"rulesNotRun"`
	PoliciesNotRun int `json:"policiesNotRun"`
	// Unvalidated is set if the steps were run without the validation of built-in kinds,
	// by an engine that does not have it.
	Unvalidated bool `json:"unvalidated"`
}

// StepResult is the result of a step.
type StepResult struct {
	// OK reports that the API server accepted the request. Code is the HTTP status code, 0 if
	// the step is not a valid request.
	OK       bool     `json:"ok"`
	Code     int      `json:"code"`
	Message  string   `json:"message"`
	Warnings []string `json:"warnings"`
	// Marks are the positions in the step's body that the message concerns.
	Marks     []Mark `json:"marks"`
	Conflicts int    `json:"conflicts"`
	// Unapplied reports that the patch cannot be applied to the object, as opposed to a patch
	// with an invalid result.
	Unapplied bool `json:"unapplied"`
	// Changed reports that the step changed the object.
	Changed bool   `json:"changed"`
	Target  Target `json:"target"`
	// ResourceVersion and Generation are the object's after the step, "" if it has none.
	ResourceVersion string `json:"resourceVersion"`
	Generation      string `json:"generation"`
}

// DefinitionResult reports whether a text is a valid CustomResourceDefinition.
type DefinitionResult struct {
	OK   bool   `json:"ok"`
	Name string `json:"name"`
	Mark Mark   `json:"mark"`
}

// ExistingObject is an initial object of the scenario.
type ExistingObject struct {
	// Text is the index in Scenario.Objects of the text that contains the object.
	Text   int    `json:"text"`
	Target Target `json:"target"`
	// Notes describe fields that were changed or are unknown.
	Notes []string `json:"notes"`
	// Managers are the names of the object's managers, without duplicates.
	Managers []string `json:"managers"`
	// OK is false if the text is invalid; Mark describes the error.
	OK   bool `json:"ok"`
	Mark Mark `json:"mark"`
}

// Object is the part of an object that is shown beside its lines.
type Object struct {
	Target          Target    `json:"target"`
	ResourceVersion string    `json:"resourceVersion"`
	Generation      string    `json:"generation"`
	Managers        []Manager `json:"managers"`
}

// Manager is an entry of managedFields.
type Manager struct {
	Name        string `json:"name"`
	Operation   string `json:"operation"`
	APIVersion  string `json:"apiVersion"`
	Subresource string `json:"subresource"`
	Time        string `json:"time"`
}

// ManagedInput requests the managedFields of a state.
type ManagedInput struct {
	Scenario Scenario `json:"scenario"`
	At       int      `json:"at"`
	Object   int      `json:"object"`
}

// ManagedOutput is managedFields, as the API server returns them and as trees, one per manager
// in their order.
type ManagedOutput struct {
	YAML  string `json:"yaml"`
	Trees []Tree `json:"trees"`
}

// Tree is the set of fields that a manager owns.
type Tree struct {
	Fields []Node `json:"fields"`
}

// Node is a path element in a manager's fields.
type Node struct {
	Label string `json:"label"`
	// Owned reports that the manager owns the field itself, not only fields below it.
	Owned  bool   `json:"owned"`
	Fields []Node `json:"fields"`
}

// Row is a line of the object, or one that was removed.
type Row struct {
	Text string `json:"text"`
	// Mark is "", "added", "removed", or "owners" if only the owners of the line changed.
	Mark string `json:"mark"`
	// Line is the line's number in the object, 0 if it was removed.
	Line int `json:"line"`
	// Owners are the managers of the line's field, Below the managers of fields below it only.
	Owners []int `json:"owners"`
	Below  []int `json:"below"`
	// Meaning is "identity", "server" or "status" for fields that an apply does not own, ""
	// for others.
	Meaning string `json:"meaning"`
}

// Change is a field that differs.
type Change struct {
	Path   string `json:"path"`
	Effect string `json:"effect"`
	// Before and After are the values, "" if absent.
	Before       string   `json:"before"`
	After        string   `json:"after"`
	OwnersBefore []string `json:"ownersBefore"`
	OwnersAfter  []string `json:"ownersAfter"`
	// Line is the line of the field in the object, 0 if it has none.
	Line int `json:"line"`
}

// WhyInput requests the reasons for the effects of a step.
type WhyInput struct {
	Scenario Scenario `json:"scenario"`
	// At is the number of the step, counted from 1.
	At int `json:"at"`
}

// WhyOutput lists the reasons in the order of the fields.
type WhyOutput struct {
	Reasons []Reason `json:"reasons"`
}

// Reason is the effect of a step on a field, with its rule. See explain.Reason.
type Reason struct {
	// Path is "" if the reason concerns the whole object.
	Path   string `json:"path"`
	Effect string `json:"effect"`
	Rule   string `json:"rule"`
	Text   string `json:"text"`
	// Expected is what one might have expected instead, "" for nothing.
	Expected string   `json:"expected"`
	Hint     string   `json:"hint"`
	Wanted   string   `json:"wanted"`
	KeptBy   []string `json:"keptBy"`
	// Line is the field's line in the object, Mark its position in the step's body; 0 if it
	// has none.
	Line int  `json:"line"`
	Mark Mark `json:"mark"`
}

// Conflict is a field that an apply would change although another manager owns it.
type Conflict struct {
	Path string `json:"path"`
	// Owner is the entry of managedFields that has the field.
	Owner  Manager `json:"owner"`
	Live   string  `json:"live"`
	Wanted string  `json:"wanted"`
	// Note is about values that differ only in what the manifest does not set, or in their
	// spelling, else "".
	Note string `json:"note"`
	Ways []Way  `json:"ways"`
	// Line is the field's line in the object, Mark its position in the step's body; 0 if it
	// has none.
	Line int  `json:"line"`
	Mark Mark `json:"mark"`
}

// Way is a resolution of a conflict.
type Way struct {
	// Name is force, drop or adopt.
	Name    string `json:"name"`
	Summary string `json:"summary"`
}

// LineInput requests information about a line of the object.
type LineInput struct {
	Scenario Scenario `json:"scenario"`
	At       int      `json:"at"`
	Object   int      `json:"object"`
	Line     int      `json:"line"`
}

// LineOutput describes a line.
type LineOutput struct {
	Path string `json:"path"`
	// Merges describes how the field merges.
	Merges string `json:"merges"`
	// Meaning is identity, server, status, immutable, default, owned, shared, members or
	// nobody. Text explains it in a sentence, and Rule is the rule that it follows from, with
	// a link.
	Meaning string      `json:"meaning"`
	Text    string      `json:"text"`
	Rule    Rule        `json:"rule"`
	Owners  []Ownership `json:"owners"`
}

// Rule is a rule of the API server with a link to its documentation.
type Rule struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// Ownership is one owner of a field.
type Ownership struct {
	Manager int `json:"manager"`
	// Since is the number of the step, from 1, that made the manager an owner; 0 if it was one
	// before the first step.
	Since int `json:"since"`
}

// WayInput requests the effect of a resolution.
type WayInput struct {
	Scenario Scenario `json:"scenario"`
	// At is the number of the step with the conflict, counted from 1.
	At int `json:"at"`
	// Conflict is the index of the conflict, or -1 for all.
	Conflict int    `json:"conflict"`
	Way      string `json:"way"`
}

// WayOutput is the changed step and its result.
type WayOutput struct {
	Step   Step       `json:"step"`
	Result StepResult `json:"result"`
	// Rows is the object after the changed step, compared with the one before.
	Rows []Row `json:"rows"`
}

// PatchesInput requests the patches that change an object to its edited form.
type PatchesInput struct {
	Scenario Scenario `json:"scenario"`
	At       int      `json:"at"`
	Object   int      `json:"object"`
	// Edited is the edited object, without managedFields.
	Edited string `json:"edited"`
	// Actor is the sender of the patches.
	Actor string `json:"actor"`
}

// PatchesOutput lists the patches.
type PatchesOutput struct {
	Patches []Patch `json:"patches"`
}

// Patch is a patch of one type for a change.
type Patch struct {
	// Do is the action of a step with this patch.
	Do   string `json:"do"`
	Body string `json:"body"`
	// OK reports that the patch results exactly in the edited object.
	OK bool `json:"ok"`
	// Message is the API server's error, or describes the difference.
	Message string `json:"message"`
	// Changes are the changed fields, with their owners before and after, and Follows
	// describes consequences of the patch type.
	Changes []Change `json:"changes"`
	Follows []string `json:"follows"`
	// Kubectl, Curl and Go send the patch: as shell commands, and as a Go program with
	// client-go. They are "" if the patch cannot be sent in that way.
	Kubectl string `json:"kubectl"`
	Curl    string `json:"curl"`
	Go      string `json:"go"`
}

// ConvertInput requests a step with another action that sets the same values.
type ConvertInput struct {
	Scenario Scenario `json:"scenario"`
	// At is the number of the step, counted from 1.
	At int    `json:"at"`
	Do string `json:"do"`
}

// ConvertOutput is the converted step and its effect.
type ConvertOutput struct {
	Step  Step  `json:"step"`
	Patch Patch `json:"patch"`
	// Kept reports that the text of the body is unchanged.
	Kept bool `json:"kept"`
}

// PasteInput is a text that was pasted or dropped.
type PasteInput struct {
	Text string `json:"text"`
	// Kubernetes and Definitions select the known kinds.
	Kubernetes  string   `json:"kubernetes"`
	Definitions []string `json:"definitions"`
}

// PasteOutput is the contents of the text.
type PasteOutput struct {
	// Scenario is the text as a scenario, null if it is not one.
	Scenario    *Scenario          `json:"scenario"`
	Objects     []PastedObject     `json:"objects"`
	Definitions []PastedDefinition `json:"definitions"`
}

// PastedObject is an object that was pasted.
type PastedObject struct {
	// Text is the object as YAML: a manifest as it was pasted, with its comments, if it is a
	// document of its own and not JSON.
	Text   string `json:"text"`
	Target Target `json:"target"`
	// Managers are those in its managedFields.
	Managers []Manager `json:"managers"`
	// Live reports that the object comes from an API server: it has a uid or a
	// resourceVersion.
	Live bool `json:"live"`
	// Known reports that the kind is built in or defined. If it is not, Hint suggests a kind
	// or describes what is missing. Of a known kind, it is advice about the object.
	Known bool   `json:"known"`
	Hint  string `json:"hint"`
	// Line is the line at which the object begins.
	Line int `json:"line"`
}

// PastedDefinition is a CustomResourceDefinition that was pasted.
type PastedDefinition struct {
	Text string `json:"text"`
	Name string `json:"name"`
}

// StartsInput requests manifests for a next step on an initial object.
type StartsInput struct {
	Scenario Scenario `json:"scenario"`
	Object   int      `json:"object"`
}

// StartsOutput lists suggested next steps.
type StartsOutput struct {
	Steps []Step `json:"steps"`
}

// TextInput is a scenario in text form, to be parsed.
type TextInput struct {
	Text string `json:"text"`
}

// ScenarioOutput is a parsed scenario.
type ScenarioOutput struct {
	Scenario Scenario `json:"scenario"`
}

// ScenarioInput is a scenario to be formatted.
type ScenarioInput struct {
	Scenario Scenario `json:"scenario"`
}

// TextOutput is a formatted scenario.
type TextOutput struct {
	Text string `json:"text"`
}

// LessonOutput is a lesson: a scenario with questions.
type LessonOutput struct {
	Group     string     `json:"group"`
	Scenario  Scenario   `json:"scenario"`
	Questions []Question `json:"questions"`
}

// Question is asked before the result of a step is shown.
type Question struct {
	// Step is the number of the step, counted from 1.
	Step    int      `json:"step"`
	Ask     string   `json:"ask"`
	Choices []Choice `json:"choices"`
	// Because is the explanation, to be shown with the result.
	Because string `json:"because"`
}

// Choice is an answer that can be chosen.
type Choice struct {
	Text  string `json:"text"`
	Right bool   `json:"right"`
}
