type RouteUser =
  | "anybody"
  | "signed-in"
  | "session"
  | "owner of the installation"
  | "auditor"
  | "auditor of an organization"
  | "owner"
  | "reader of runs"
  | "editor of runs";

/** Everything that is not an operation on a kind. `status` is the answer to whoever may, where it is not 200. */
export const routesByHand: Record<string, { who: RouteUser; body?: unknown; status?: number }> = {
  "GET /livez": { who: "anybody" },
  "GET /readyz": { who: "anybody" },
  "GET /metrics": { who: "owner of the installation" },
  ...Object.fromEntries(
    ["", "{organization}/", "{organization}/{project}/", "{organization}/{project}/{workspace}/"]
      .flatMap((place) => [`hooks/${place}{workflow}/{hook}`, `pushes/${place}{source}`])
      .map((path) => [`POST /api/v1/${path}`, { who: "anybody" as const, body: {}, status: 401 }]),
  ),
  ...Object.fromEntries(
    ["{organization}/", "{organization}/{project}/", "{organization}/{project}/{workspace}/"].map((place) => [
      `POST /api/v1/repository-pushes/${place}{repository}`,
      { who: "anybody" as const, body: {}, status: 401 },
    ]),
  ),
  "GET /api/v1/service-templates": { who: "signed-in" },
  "GET /api/v1/service-templates/{template}": { who: "signed-in", status: 404 },
  "POST /api/v1/service-templates/{template}/render": {
    who: "signed-in",
    body: { scope: "acme", name: "x", hosts: { names: ["a"] } },
    status: 404,
  },
  "POST /api/v1/setup": {
    who: "anybody",
    body: { token: "x", user: "eve", password: "a long enough password" },
    status: 412,
  },
  "POST /api/v1/sessions": {
    who: "anybody",
    body: { user: "eve", password: "a wrong password" },
    status: 401,
  },
  "GET /api/v1/sessions": { who: "signed-in" },
  "DELETE /api/v1/sessions": { who: "signed-in" },
  "POST /api/v1/sessions/current/confirm": {
    who: "session",
    // Those who ask have no password.
    body: { password: "a wrong password" },
    status: 412,
  },
  "POST /api/v1/sessions/current/challenge": { who: "session", body: {} },
  "POST /api/v1/sessions/second-step": {
    who: "anybody",
    body: { pending: "x", code: "123456" },
    status: 401,
  },
  "POST /api/v1/sessions/challenge": { who: "anybody", body: {} },
  "POST /api/v1/sessions/passkey": {
    who: "anybody",
    body: { passkey: { id: "x", rawId: "x", type: "public-key", response: { clientDataJSON: "x" } } },
    status: 401,
  },
  "GET /api/v1/factors": { who: "session" },
  "POST /api/v1/factors/totp/seed": { who: "session", body: {} },
  "POST /api/v1/factors/totp": {
    who: "session",
    body: { seed: "A".repeat(32), code: "000000", name: "phone" },
    status: 422,
  },
  "POST /api/v1/factors/passkey/challenge": { who: "session", body: {} },
  "POST /api/v1/factors/passkey": {
    who: "session",
    body: {
      name: "key",
      passkey: { id: "x", rawId: "x", type: "public-key", response: { clientDataJSON: "x" } },
    },
    status: 422,
  },
  "POST /api/v1/factors/recovery-codes": { who: "session", body: {}, status: 412 },
  "DELETE /api/v1/factors/{id}": { who: "session", status: 404 },
  "DELETE /api/v1/sessions/{id}": { who: "signed-in", status: 404 },
  "GET /api/v1/sign-in/providers": { who: "anybody" },
  "GET /api/v1/sign-in/oidc/{name}": { who: "anybody", status: 404 },
  "GET /api/v1/sign-in/oidc/{name}/callback": { who: "anybody", status: 404 },
  "POST /api/v1/sign-in/oidc": {
    who: "anybody",
    body: { code: "x", verifier: "a verifier that is just as long as one has to be" },
    status: 401,
  },
  "GET /api/v1/identities": { who: "signed-in" },
  "POST /api/v1/identities": {
    who: "session",
    body: { code: "x", verifier: "a verifier that is just as long as one has to be" },
    status: 401,
  },
  "DELETE /api/v1/identities/{id}": { who: "session", status: 404 },
  "POST /api/v1/tokens/exchange": { who: "anybody", body: { subject_token: "x" }, status: 422 },
  "GET /api/v1/workload-tokens": { who: "signed-in" },
  "DELETE /api/v1/workload-tokens/{id}": { who: "signed-in", status: 404 },
  "POST /api/v1/invitations/accept": {
    who: "anybody",
    body: { token: "x", user: "eve", password: "a long enough password" },
    status: 412,
  },
  "POST /api/v1/recover": {
    who: "anybody",
    body: { token: "x", password: "a long enough password" },
    status: 412,
  },
  "GET /api/v1/keys": { who: "owner of the installation" },
  "POST /api/v1/keys/rotate": {
    who: "owner of the installation",
    body: { level: "scope", organization: "nobody" },
  },
  "DELETE /api/v1/keys/{id}": { who: "owner of the installation", status: 404 },
  "GET /api/v1/authorities": { who: "owner of the installation" },
  "POST /api/v1/authorities/rotate": { who: "owner of the installation" },
  "GET /api/v1/whoami": { who: "signed-in" },
  "POST /api/v1/can-i": { who: "signed-in", body: { verb: "read", kind: "Project", scope: "acme" } },
  "POST /api/v1/can-i/many": {
    who: "signed-in",
    body: { questions: [{ verb: "read", kind: "Project", scope: "acme" }] },
  },
  "POST /api/v1/apply": { who: "signed-in", body: { resources: [{}] } },
  "GET /api/v1/kinds": { who: "signed-in" },
  "GET /api/v1/server": { who: "signed-in" },
  "GET /api/v1/debug/{topic}": { who: "owner of the installation" },
  "GET /api/v1/watch": { who: "signed-in", status: 422 },
  "GET /api/v1/runs": { who: "reader of runs" },
  "GET /api/v1/runs/latest": { who: "signed-in", status: 422 },
  "GET /api/v1/runs/rates": { who: "reader of runs" },
  "POST /api/v1/runs/cancel": { who: "editor of runs", body: { scope: "" } },
  // Of a run that is not there; who may do what to one that is, is in runs-refusals.test.ts.
  "GET /api/v1/runs/{id}": { who: "signed-in", status: 404 },
  "GET /api/v1/runs/{id}/steps": { who: "signed-in", status: 404 },
  "GET /api/v1/runs/{id}/attempts": { who: "signed-in", status: 404 },
  "GET /api/v1/runs/{id}/steps/{seq}/attempts": { who: "signed-in", status: 404 },
  "GET /api/v1/runs/{id}/events": { who: "signed-in", status: 404 },
  "GET /api/v1/runs/{id}/logs": { who: "signed-in", status: 404 },
  "GET /api/v1/runs/{id}/logs/index": { who: "signed-in", status: 404 },
  "GET /api/v1/runs/{id}/logs/lines": { who: "signed-in", status: 422 },
  "GET /api/v1/runs/{id}/logs/search": { who: "signed-in", status: 404 },
  "GET /api/v1/runs/{id}/steps/{seq}/logs": { who: "signed-in", status: 404 },
  "POST /api/v1/runs/{id}/cancel": { who: "signed-in", body: {}, status: 404 },
  "POST /api/v1/runs/{id}/pause": { who: "signed-in", body: {}, status: 404 },
  "POST /api/v1/runs/{id}/resume": { who: "signed-in", body: {}, status: 404 },
  "POST /api/v1/runs/{id}/retry": { who: "signed-in", body: {}, status: 404 },
  "POST /api/v1/runs/{id}/steps/{seq}/skip": { who: "signed-in", body: {}, status: 404 },
  "POST /api/v1/runs/{id}/steps/{seq}/approve": { who: "signed-in", body: {}, status: 404 },
  "POST /api/v1/runs/{id}/steps/{seq}/reject": { who: "signed-in", body: {}, status: 404 },
  "POST /api/v1/runs/{id}/steps/{seq}/decide": {
    who: "signed-in",
    body: { outcome: "again" },
    status: 404,
  },
  // Of no kind; whoever may read a resource may see what it uses: usage.test.ts.
  "GET /api/v1/usage/{kind}": { who: "signed-in", status: 404 },
  "GET /api/v1/usage/{kind}/{name}": { who: "signed-in", status: 404 },
  "GET /api/v1/schedules": { who: "signed-in" },
  "GET /api/v1/backfills/{id}": { who: "signed-in", status: 404 },
  "GET /api/v1/recordings": { who: "owner" },
  // Of none; who may replay one that is there is in terminals.test.ts.
  "GET /api/v1/recordings/{id}": { who: "signed-in", status: 404 },
  "GET /api/v1/recordings/{id}/cast": { who: "signed-in", status: 404 },
  "GET /api/v1/audit": { who: "auditor" },
  "GET /api/v1/audit/export": { who: "auditor" },
  "GET /api/v1/audit/heads": { who: "auditor of an organization" },
  "POST /api/v1/audit/verify": { who: "auditor of an organization", body: {} },
};
