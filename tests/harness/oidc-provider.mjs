/**
 * A real OpenID Connect provider as a process of its own, for tests: `node oidc-provider.mjs CLIENTS`, where CLIENTS is JSON. It
 * prints its address. People are told to it by PUT /people/NAME with their claims; whoever asks to sign in as NAME
 * (`login_hint` in a cookie of that name) is signed in without questions.
 */
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import Provider from "oidc-provider";

// It warns that it is not for production.
console.warn = () => {};
console.info = () => {};

const people = new Map();
const server = createServer().listen(Number(process.argv[3] ?? 0), "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: JSON.parse(process.argv[2]),
    claims: {
      openid: ["sub", "amr"],
      profile: ["preferred_username", "name", "groups"],
      email: ["email", "email_verified"],
    },
    // Claims come from userinfo, as with providers that keep their tokens small.
    conformIdTokenClaims: true,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    findAccount: (_context, id) =>
      people.has(id) ? { accountId: id, claims: () => ({ sub: id, ...people.get(id) }) } : undefined,
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    loadExistingGrant: async (context) => {
      const grant = new context.oidc.provider.Grant({
        clientId: context.oidc.client.clientId,
        accountId: context.oidc.session.accountId,
      });
      grant.addOIDCScope("openid profile email");
      await grant.save();
      return grant;
    },
  });
  provider.proxy = false;
  const callback = provider.callback();
  server.on("request", async (request, response) => {
    const { pathname } = new URL(request.url, issuer);
    if (request.method === "PUT" && pathname.startsWith("/people/")) {
      people.set(pathname.slice(8), await json(request));
      return response.end();
    }
    if (!pathname.startsWith("/interaction/")) return callback(request, response);
    const person = /(?:^|; )person=([\w-]+)/.exec(request.headers.cookie ?? "")?.[1];
    const result =
      person === undefined
        ? { error: "access_denied", error_description: "nobody is here" }
        : { login: { accountId: person, amr: people.get(person)?.amr ?? ["pwd"], remember: false } };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  });
  console.log(`ready at ${issuer}`);
});
