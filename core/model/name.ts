import { type FieldError, invalidField } from "./fault.ts";

/** Names go into paths, argv lists, DNS names and file names, so they are kept to what is safe in all of them. */
export const namePattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
export const nameLimit = 63;

export const nameRule =
  "use 1 to 63 lower-case letters, digits and '-', beginning and ending with a letter or digit";

export function isName(text: string): boolean {
  return text.length <= nameLimit && namePattern.test(text);
}

export function checkName(text: unknown, pointer: string): string {
  if (typeof text === "string" && isName(text)) return text;
  throw invalidField(pointer, `${show(text)} is not a valid name: ${nameRule}`);
}

const labelKeyPattern = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const labelValuePattern = /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;
const labelsLimit = 64;
const annotationsLimitBytes = 64 * 1024;
const utf8 = new TextEncoder();

export function labelErrors(labels: Readonly<Record<string, string>>): FieldError[] {
  const errors: FieldError[] = [];
  const entries = Object.entries(labels);
  if (entries.length > labelsLimit)
    errors.push({
      pointer: "/metadata/labels",
      message: `at most ${labelsLimit} labels, found ${entries.length}`,
    });
  for (const [key, value] of entries) {
    const pointer = `/metadata/labels/${escapePointer(key)}`;
    if (key.length > 128 || !labelKeyPattern.test(key))
      errors.push({
        pointer,
        message: "a label key is [prefix/]name of letters, digits, '-', '_' and '.', at most 128 characters",
      });
    if (value.length > 63 || !labelValuePattern.test(value))
      errors.push({
        pointer,
        message: `a label value is at most 63 letters, digits, '-', '_' and '.' (found ${value.length} characters); use an annotation for longer text`,
      });
  }
  return errors;
}

export function annotationErrors(annotations: Readonly<Record<string, string>>): FieldError[] {
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) bytes += key.length + utf8.encode(value).length;
  if (bytes <= annotationsLimitBytes) return [];
  return [
    { pointer: "/metadata/annotations", message: `at most 64 KiB of annotations, found ${bytes} bytes` },
  ];
}

export function escapePointer(part: string): string {
  if (!part.includes("~") && !part.includes("/")) return part;
  return part.replaceAll("~", "~0").replaceAll("/", "~1");
}

function show(value: unknown): string {
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
