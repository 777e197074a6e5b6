// The token is in the fragment, which a browser never sends: it reaches no log and no proxy.
const token = location.hash.slice(1);
const form = document.getElementById("form");
const error = document.getElementById("error");

function fail(message) {
  error.textContent = message;
  error.hidden = false;
}

if (token === "")
  fail("This page needs the whole setup link that the server printed, with everything after the #.");

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  error.hidden = true;
  const fields = Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ""));
  const { again, ...setup } = fields;
  if (again !== setup.password) return fail("The two passwords differ.");
  const button = form.querySelector("button");
  button.disabled = true;
  try {
    const answer = await fetch("/api/v1/setup", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...setup, token, carry: "cookie" }),
    });
    const body = await answer.json();
    if (!answer.ok) return fail([body.detail, body.next].filter(Boolean).join(". "));
    history.replaceState(null, "", location.pathname);
    form.hidden = true;
    document.getElementById("lead").hidden = true;
    document.getElementById("who").textContent = body.user;
    document.getElementById("next").textContent =
      `npx reeve login ${location.origin} --user ${body.user}\nnpx reeve get organizations`;
    document.getElementById("done").hidden = false;
  } catch {
    fail("The server did not answer. Is it still running?");
  } finally {
    button.disabled = false;
  }
});
