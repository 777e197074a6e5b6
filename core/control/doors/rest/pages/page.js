/** What our plain pages share: calling the API, saying what went wrong, and passkeys. */

/** The server said no. */
export class Refused extends Error {
  constructor(status, problem) {
    super([problem.detail, problem.next].filter(Boolean).join(". ") || `The server answered ${status}.`);
    this.status = status;
    this.needsProof = String(problem.detail).startsWith("fresh authentication needed");
  }
}

export async function call(method, path, body) {
  const answer = await fetch(`/api/v1${path}`, {
    method,
    ...(method === "GET" || method === "DELETE"
      ? {}
      : { headers: { "content-type": "application/json" }, body: JSON.stringify(body ?? {}) }),
  }).catch(() => {
    throw new Error("The server did not answer. Is it still running?");
  });
  const content = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(answer.status, content);
  return content;
}

/** Does something for a form or a button: what goes wrong is said in `error`, and nobody clicks twice. */
export async function attempt(error, buttons, work) {
  error.hidden = true;
  for (const button of buttons) button.disabled = true;
  try {
    return await work();
  } catch (problem) {
    error.textContent =
      problem?.name === "NotAllowedError"
        ? "The passkey was not used: it was refused, or took too long."
        : problem.message;
    error.hidden = false;
    return undefined;
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}

/** Browsers offer passkeys on secure addresses only, and not for bare IP addresses. */
export const hasPasskeys =
  window.isSecureContext && window.PublicKeyCredential?.parseRequestOptionsFromJSON !== undefined;

export async function usePasskey(options) {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return (await navigator.credentials.get({ publicKey })).toJSON();
}

export async function makePasskey(options) {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  return (await navigator.credentials.create({ publicKey })).toJSON();
}
