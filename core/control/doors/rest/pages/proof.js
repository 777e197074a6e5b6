import { attempt, call, hasPasskeys, Refused, usePasskey } from "/pages/page.js";

const find = (id) => document.getElementById(id);
const [dialog, form, error] = ["proof", "proof-form", "proof-error"].map(find);
const buttons = [...form.querySelectorAll("button")];

/** Does the work; where the server asks for a fresh proof of identity first, the person gives it and the work is done then. */
export async function withProof(factors, work) {
  try {
    return await work();
  } catch (problem) {
    if (!(problem instanceof Refused && problem.needsProof)) throw problem;
    await askProof(factors);
    return work();
  }
}

function askProof(factors) {
  const second = factors.length > 0;
  find("proof-what").textContent = second ? "Code of your app, or a recovery code" : "Password";
  find("proof-passkey").hidden = !hasPasskeys || !factors.some(({ kind }) => kind === "passkey");
  error.hidden = true;
  form.reset();
  dialog.showModal();
  return new Promise((resolve, reject) => {
    const send = async (proof) => {
      await call("POST", "/sessions/current/confirm", proof);
      dialog.close("proved");
    };
    form.onsubmit = (event) => {
      event.preventDefault();
      const text = form.elements.proof.value;
      attempt(error, buttons, () => send(second ? { code: text } : { password: text }));
    };
    find("proof-passkey").onclick = () =>
      attempt(error, buttons, async () =>
        send({ passkey: await usePasskey(await call("POST", "/sessions/current/challenge")) }),
      );
    find("proof-cancel").onclick = () => dialog.close("");
    dialog.onclose = () =>
      dialog.returnValue === "proved"
        ? resolve()
        : reject(new Error("Nothing was changed: it was not proved who you are."));
  });
}
