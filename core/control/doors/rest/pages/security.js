import { attempt, call, hasPasskeys, makePasskey } from "/pages/page.js";
import { withProof } from "/pages/proof.js";

const find = (id) => document.getElementById(id);
const error = find("error");
let factors = [];

/** A change: with a proof where the server asks for one, and what is shown is read anew. */
const change = (buttons, work) =>
  attempt(error, buttons, async () => {
    await withProof(factors, work);
    await show();
  });

function item(title, detail, label, act) {
  const row = document.createElement("li");
  const text = document.createElement("div");
  const small = document.createElement("small");
  const button = document.createElement("button");
  small.textContent = detail;
  text.append(title, small);
  button.textContent = label;
  button.className = "plain";
  button.addEventListener("click", () => change([button], act));
  row.append(text, button);
  return row;
}

const when = (time) => new Date(time).toLocaleString();

async function show() {
  const [me, own, sessions] = await Promise.all([
    call("GET", "/whoami"),
    call("GET", "/factors"),
    call("GET", "/sessions"),
  ]);
  factors = own.items;
  find("user").textContent = me.subject.name;
  find("withheld").hidden = me.withheld.length === 0;
  const scopes = [...new Set(me.withheld.map(({ scope }) => scope))].join(", ");
  find("withheld").textContent =
    `Your roles in ${scopes} do not count until you have signed in with a second factor.`;
  find("no-factors").hidden = factors.length > 0;
  find("recovery").hidden = factors.length === 0;
  find("codes-left").textContent = `You have ${own.recoveryCodes} left.`;
  find("factors").replaceChildren(
    ...factors.map(({ id, kind, name, usedAt }) =>
      item(name, `${kind === "totp" ? "app" : "passkey"}, last used ${when(usedAt)}`, "Remove", () =>
        call("DELETE", `/factors/${id}`),
      ),
    ),
  );
  find("sessions").replaceChildren(
    ...sessions.items.map(({ id, device, address, seenAt, current }) =>
      item(current ? `${device} (this one)` : device, `${address}, last used ${when(seenAt)}`, "End", () =>
        call("DELETE", `/sessions/${id}`),
      ),
    ),
  );
  document.querySelector("main").hidden = false;
}

find("sign-out").addEventListener("click", () =>
  attempt(error, [], async () => {
    await call("DELETE", "/sessions/current");
    location.assign("/sign-in");
  }),
);
find("end-others").addEventListener("click", ({ target }) =>
  change([target], () => call("DELETE", "/sessions")),
);

find("add-app").addEventListener("click", ({ target }) =>
  attempt(error, [target], async () => {
    const { seed, qr } = await withProof(factors, () => call("POST", "/factors/totp/seed"));
    const svg = new DOMParser().parseFromString(qr, "image/svg+xml").documentElement;
    find("qr").replaceChildren(document.importNode(svg, true));
    find("seed").textContent = seed;
    find("app").hidden = false;
    find("app").elements.code.focus();
  }),
);
find("app").addEventListener("submit", (event) => {
  event.preventDefault();
  const { name, code } = Object.fromEntries(new FormData(find("app")));
  change(find("app").querySelectorAll("button"), async () => {
    await call("POST", "/factors/totp", { seed: find("seed").textContent, code, name });
    find("app").reset();
    find("app").hidden = true;
  });
});

find("add-passkey").disabled = !hasPasskeys;
find("add-passkey").title = hasPasskeys ? "" : "Passkeys need https, or http://localhost.";
find("add-passkey").addEventListener("click", () => {
  find("key").hidden = false;
});
find("key").addEventListener("submit", (event) => {
  event.preventDefault();
  const name = new FormData(find("key")).get("name");
  change(find("key").querySelectorAll("button"), async () => {
    const passkey = await makePasskey(await call("POST", "/factors/passkey/challenge"));
    await call("POST", "/factors/passkey", { name, passkey });
    find("key").hidden = true;
  });
});

find("new-codes").addEventListener("click", ({ target }) =>
  change([target], async () => {
    const { codes } = await call("POST", "/factors/recovery-codes");
    find("code-list").replaceChildren(
      ...codes.map((code) => Object.assign(document.createElement("li"), { textContent: code })),
    );
    find("codes").hidden = false;
  }),
);

show().catch((problem) => {
  if (problem.status === 401) return location.assign("/sign-in");
  document.querySelector("main").hidden = false;
  error.textContent = problem.message;
  error.hidden = false;
});
