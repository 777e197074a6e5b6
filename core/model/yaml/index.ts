/** Reading and writing YAML with the way back from a field to its place. Not in the model's index: not everybody needs a parser. */
export { readDraft, type Stretch, type YamlDraft } from "./draft.ts";
export { readDocuments, type YamlDocument } from "./read-documents.ts";
export { toYaml } from "./to-yaml.ts";
