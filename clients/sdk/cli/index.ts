/** What areas write their verbs of the command line against; apps/cli carries them out. */
export {
  type Ask,
  type CliKind,
  type Desk,
  type GlobalFlags,
  type Output,
  outputs,
  type Target,
} from "./desk.ts";
export { readInputTexts } from "./inputs.ts";
export { Usage } from "./usage.ts";
export {
  type AnyVerb,
  type Argument,
  type Completes,
  defineVerb,
  flag,
  type Option,
  type OptionValues,
  text,
  texts,
  type Verb,
  type VerbInput,
} from "./verb.ts";
