import { attempt, call, hasPasskeys, usePasskey } from "/pages/page.js";

const [first, second, error] = ["first", "second", "error"].map((id) => document.getElementById(id));
const [passkey, secondPasskey] = ["passkey", "second-passkey"].map((id) => document.getElementById(id));
const buttons = [...document.querySelectorAll("button")];
// A sign-in that was begun elsewhere, such as at an identity provider, goes on here; a fragment reaches no log.
let pending = new URLSearchParams(location.hash.slice(1)).get("pending") ?? undefined;

const done = () => location.assign("/security");
const on = (target, event, work) =>
  target.addEventListener(event, (what) => {
    what.preventDefault();
    attempt(error, buttons, work);
  });

function askSecond(kinds) {
  first.hidden = true;
  second.hidden = false;
  secondPasskey.hidden = !hasPasskeys || !(kinds ?? ["passkey"]).includes("passkey");
  second.elements.code.focus();
}

on(first, "submit", async () => {
  const { user, password } = Object.fromEntries(new FormData(first));
  const answer = await call("POST", "/sessions", { user, password, carry: "cookie" });
  if (answer.pending === undefined) return done();
  pending = answer.pending;
  askSecond(answer.second);
});

on(second, "submit", async () => {
  await call("POST", "/sessions/second-step", { pending, code: second.elements.code.value });
  done();
});

on(secondPasskey, "click", async () => {
  const proof = await usePasskey(await call("POST", "/sessions/challenge", { pending }));
  await call("POST", "/sessions/second-step", { pending, passkey: proof });
  done();
});

on(passkey, "click", async () => {
  const proof = await usePasskey(await call("POST", "/sessions/challenge"));
  await call("POST", "/sessions/passkey", { passkey: proof, carry: "cookie" });
  done();
});

attempt(error, [], async () => {
  const { items } = await call("GET", "/sign-in/providers");
  for (const { name, displayName } of items) {
    const link = document.createElement("a");
    link.href = `/api/v1/sign-in/oidc/${encodeURIComponent(name)}`;
    link.textContent = `Sign in with ${displayName}`;
    const line = document.createElement("p");
    line.append(link);
    document.getElementById("providers").append(line);
  }
});

passkey.hidden = !hasPasskeys;
if (pending !== undefined) {
  history.replaceState(null, "", location.pathname);
  askSecond();
}
