import { attempt, call } from "/pages/page.js";

// The token is in the fragment, which a browser never sends: it reaches no log and no proxy.
const token = location.hash.slice(1);
const [form, join, error] = ["form", "accept", "error"].map((id) => document.getElementById(id));

const me = await call("GET", "/whoami").catch(() => undefined);
(me === undefined ? form : join).hidden = false;
document.getElementById("me").textContent = me?.subject.name ?? "";
if (token === "") {
  error.textContent = "This page needs the whole link you were given, with everything after the #.";
  error.hidden = false;
}

async function accept(fields) {
  const { user, scope, role } = await call("POST", "/invitations/accept", { ...fields, token });
  history.replaceState(null, "", location.pathname);
  for (const id of ["lead", "form", "accept"]) document.getElementById(id).hidden = true;
  for (const [id, text] of Object.entries({ who: user, scope, role }))
    document.getElementById(id).textContent = text;
  document.getElementById("next").textContent = `npx reeve login ${location.origin} --user ${user}`;
  document.getElementById("done").hidden = false;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(error, form.querySelectorAll("button"), async () => {
    const filled = [...new FormData(form)].filter(([, value]) => value !== "");
    const { again, ...fields } = Object.fromEntries(filled);
    if (again !== fields.password) throw new Error("The two passwords differ.");
    await accept(fields);
  });
});

join.addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(error, join.querySelectorAll("button"), () => accept({}));
});
