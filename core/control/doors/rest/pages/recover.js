import { attempt, call } from "/pages/page.js";

// The token is in the fragment, which a browser never sends: it reaches no log and no proxy.
const token = location.hash.slice(1);
const [form, error] = ["form", "error"].map((id) => document.getElementById(id));
if (token === "") {
  error.textContent = "This page needs the whole link you were given, with everything after the #.";
  error.hidden = false;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(error, form.querySelectorAll("button"), async () => {
    const { again, password } = Object.fromEntries(new FormData(form));
    if (again !== password) throw new Error("The two passwords differ.");
    const { user } = await call("POST", "/recover", { token, password });
    history.replaceState(null, "", location.pathname);
    for (const id of ["lead", "form"]) document.getElementById(id).hidden = true;
    document.getElementById("who").textContent = user;
    document.getElementById("done").hidden = false;
  });
});
