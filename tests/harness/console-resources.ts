/** What a small team would have: every kind once at least, names short and long. Agents do the workflows for real. */
const shop = "acme/shop";

function manifest(kind: string, scope: string, name: string, spec: object = {}, labels: object = {}) {
  return { apiVersion: "reeve/v1", kind, metadata: { ...(scope && { scope }), name, labels }, spec };
}

const inAYear = new Date(Date.now() + 365 * 86_400_000).toISOString();
const inTwoDays = new Date(Date.now() + 2 * 86_400_000).toISOString();

/** In the order in which they can be made. */
export const resources = [
  manifest("Project", "acme", "shop", { displayName: "The shop" }, { team: "web" }),
  manifest("Project", "acme", "data-platform-with-a-long-name", { displayName: "Everything about data" }),
  manifest("Workspace", shop, "production", { description: "What customers use." }),
  manifest("Workspace", shop, "staging"),
  manifest("User", "", "grace", { displayName: "Grace Hopper", email: "grace@example.com" }),
  manifest("User", "", "linus", { displayName: "Linus Torvalds", email: "linus@example.com" }),
  manifest("Group", "acme", "developers", { members: [{ kind: "User", name: "grace" }] }),
  manifest("ServiceAccount", shop, "ci", { description: "Deploys from the pipeline." }),
  manifest("Role", "acme", "deployer", { allows: ["*:read", "workflows:update", "workflows:trigger"] }),
  manifest("RoleBinding", shop, "ci-deploys", {
    role: "deployer",
    subject: { kind: "ServiceAccount", name: "ci" },
  }),
  manifest("RoleBinding", "acme", "developers-edit", {
    role: "editor",
    subject: { kind: "Group", name: "developers" },
  }),
  manifest("RoleBinding", "acme", "linus-views", {
    role: "viewer",
    subject: { kind: "User", name: "linus" },
  }),
  manifest("Token", shop, "ci-2027", {
    subject: { kind: "ServiceAccount", name: "ci" },
    expiresAt: inAYear,
  }),
  manifest("Token", shop, "ci-old", {
    subject: { kind: "ServiceAccount", name: "ci" },
    expiresAt: inTwoDays,
  }),
  manifest("Invitation", "acme", "barbara", { email: "barbara@example.com", role: "editor" }),
  manifest("Quota", "acme", "plan", { limits: { projects: 10, tokens: 50, resources: 1000 } }),
  manifest("IdentityProvider", "", "corporate", {
    displayName: "Example Inc.",
    issuer: "https://id.example.com",
    clientId: "reeve",
    createUsers: true,
    allow: { emailDomains: ["example.com"] },
  }),
  manifest("TrustedIssuer", shop, "pipeline", {
    issuer: "https://token.example.com",
    audience: "reeve",
    rules: [{ claims: { repository: shop }, serviceAccount: { name: "ci" } }],
  }),
  manifest("Secret", shop, "database", {
    description: "How the shop reaches its database.",
    keys: { password: { description: "Of the user shop." }, "never-set": {} },
  }),
  manifest("Connection", shop, "database", {
    type: "postgres",
    host: "db.example.com",
    database: "shop",
    user: "shop",
    password: { secretRef: { name: "database", key: "password" } },
  }),
  manifest("Channel", shop, "ops", {
    type: "email",
    host: "mail.example.com",
    from: "reeve@example.com",
    to: ["ops@example.com"],
  }),
  manifest("Source", shop, "flows", {
    git: { url: "https://git.example.com/acme/flows.git", ref: "main", path: "workflows" },
    every: "1h",
  }),
  // Written and not deployed: that takes an engine.
  manifest("Service", shop, "storefront", {
    description: "What customers see.",
    hosts: { names: ["build-1"], labels: "zone=a" },
    environment: { PASSWORD: { secretRef: { name: "database", key: "password" } } },
    files: {
      "compose.yaml":
        'services:\n  web:\n    image: nginx:1.29\n    ports: ["8080:80"]\n    volumes: ["./conf:/etc/nginx/conf.d:ro"]\n',
      "conf/site.conf": "server { listen 80; root /data; }\n",
    },
  }),
  manifest("Service", shop, "warehouse", {
    hosts: { names: ["build-1"] },
    files: { "compose.yaml": "services:\n  web:\n    image: nginx:1.29\n" },
  }),
  manifest("JoinToken", "acme", "builders", { uses: 10, hosts: "build-*", labels: { pool: "build" } }),
];

export const repository = (url: string) =>
  manifest("Repository", shop, "apps", { git: { url, ref: "main" }, every: "1h" });

const lanes = 20;
const red = "\\033[31m";
const green = "\\033[32m";
const plain = "\\033[0m";

/** By their names; each comes to another end, or to none. */
const workflowSpecs = {
  nightly: {
    description: "Loads yesterday's orders and tells how many there were.",
    inputs: {
      day: { type: "text", default: "yesterday", description: "Which day to load." },
      region: { type: "choice", choices: ["north", "south"], default: "north" },
      dry: { type: "boolean", default: false },
    },
    schedules: [{ name: "every-night", cron: "30 2 * * *", timezone: "Europe/Paris" }],
    steps: [
      {
        name: "extract",
        run: `printf '${green}connected${plain} to the warehouse\\n'; echo rows=1204 >> "$REEVE_OUTPUTS"`,
      },
      { name: "load", each: ["orders", "customers", "refunds"], run: "echo loading ${{ item }}" },
      { name: "report", run: "echo ${{ steps.extract.outputs.rows }} rows" },
    ],
    outputs: { rows: "${{ steps.extract.outputs.rows }}" },
  },
  deploy: {
    description: "Builds, checks and publishes the shop.",
    steps: [
      { name: "build", run: "for i in $(seq 1 120); do echo compiled module $i; done" },
      { name: "unit-tests", needs: ["build"], run: "echo 312 passed" },
      {
        name: "browser-tests",
        needs: ["build"],
        run: `echo starting the browser; printf '${red}ERROR${plain} the basket is empty after signing in\\n' >&2; exit 3`,
      },
      { name: "publish", needs: ["unit-tests", "browser-tests"], run: "echo published" },
      { name: "tidy", cleanup: true, run: "echo nothing to tidy" },
    ],
  },
  release: {
    steps: [
      { name: "build", run: "echo built 4.2.0" },
      { name: "ask", approve: "Release 4.2.0 to everybody?" },
      { name: "publish", run: "echo published" },
    ],
  },
  training: {
    concurrency: { most: 1, over: "queue" },
    steps: [{ name: "train", run: "./train", selector: "gpu=yes" }],
  },
  import: {
    steps: [
      {
        name: "follow-the-feed-of-the-warehouse",
        run: "i=0; while :; do i=$((i+1)); echo message $i; sleep 1; done",
      },
    ],
  },
  "five-hundred": {
    description: "Twenty lanes of twenty-five steps.",
    steps: Array.from({ length: 500 }, (_, at) => ({
      name: `step-${at + 1}`,
      uses: "noop",
      needs: at < lanes ? [] : [`step-${at + 1 - lanes}`],
    })),
  },
} as const;

export type WorkflowName = keyof typeof workflowSpecs;

export const workflows = Object.entries(workflowSpecs).map(([name, spec]) =>
  manifest("Workflow", shop, name, spec),
);
