const shortest = 3;
const shortestEncoded = 8;

/**
 * The ways in which a text that must not be seen is likely to be printed: as it is, line by line, within JSON or an address,
 * and within base64 (as in a header of basic authentication). Shorter than three characters it is no secret, and to mask it
 * would only tell where it stands. What a body makes of a secret otherwise (reverses it, wraps its base64) is not recognised.
 */
export function formsOf(text: string): string[] {
  if (text.length < shortest) return [];
  const forms = new Set([text]);
  for (const line of text.split(/\r?\n/)) if (line.trim().length >= shortestEncoded) forms.add(line.trim());
  forms.add(JSON.stringify(text).slice(1, -1));
  forms.add(percentEncoded(text));
  forms.add(percentEncoded(text).replaceAll("%20", "+"));
  for (const part of base64Of(new TextEncoder().encode(text))) {
    forms.add(part);
    forms.add(part.replaceAll("+", "-").replaceAll("/", "_"));
  }
  return [...forms];
}

/** The forms of many, the longest first, so that a secret within another leaves no rest of it. */
export function allFormsOf(hide: readonly string[]): string[] {
  return hide.flatMap(formsOf).sort((a, b) => b.length - a.length);
}

/** Words that come from outside, or from a body, without the secrets that they were given. */
export function hideText(text: string, hide: readonly string[]): string {
  return hideForms(text, allFormsOf(hide));
}

export function hideForms(text: string, forms: readonly string[]): string {
  return forms.reduce((hidden, form) => hidden.replaceAll(form, "***"), text);
}

/** A lone surrogate cannot be encoded, and cannot be printed either. */
function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Base64 of the bytes at each of the three places in a group that they can have, without what depends on their neighbours. */
function base64Of(bytes: Uint8Array): string[] {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return [0, 1, 2]
    .map((before) => {
      const whole = btoa("\0".repeat(before) + text);
      const first = Math.ceil((before * 8) / 6);
      return whole.slice(first, Math.floor(((before + bytes.length) * 8) / 6));
    })
    .filter((part) => part.length >= shortestEncoded);
}
