import {
  type BrowserContext,
  type CDPSession,
  chromium as driver,
  type Page,
  type Browser as Program,
} from "playwright-core";
import { chromium } from "../../tools/components.ts";
import { buildConsole } from "../../tools/console.ts";
import type { Bench } from "./bench.ts";

/** One person's browser: its own cookies, one page, and a passkey device that answers by itself. */
export interface Browser {
  readonly page: Page;
  /** What the page's own console complained about: scripts that failed, rules that were broken. */
  readonly complaints: readonly string[];
  /** Plugs a device in; what it holds is seen and changed through the browser's own test interface. */
  plugIn(): Promise<Authenticator>;
}

export interface Authenticator {
  credentials(): Promise<readonly { credentialId: string; signCount: number }[]>;
  /** As a copy of the device would be that was made when it had counted so far. */
  countFrom(signCount: number): Promise<void>;
  /** Whether it recognises its holder from now on. */
  recognise(holder: boolean): Promise<void>;
}

let opened = 0;

/**
 * Each at an address of its own, for a server that trusts 127.0.0.1 as its proxy: one address may not sign in that often. What the
 * page has complained about when it is closed fails the test.
 */
export async function openBrowser(bench: Bench): Promise<Browser> {
  // So that no page has to wait for it.
  await buildConsole();
  const program = await sharedProgram(bench);
  const extraHTTPHeaders = { "x-forwarded-for": `10.3.0.${++opened % 250}` };
  const context = await program.newContext({ extraHTTPHeaders });
  // For every window of it: on a busy machine the first look at a page may take half a minute.
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  context.on("weberror", (error) => complaints.push(error.error().message));
  context.on("console", (said) => {
    if (said.type() === "error" && !isAnswer.test(said.text())) complaints.push(said.text());
  });
  bench.keep({
    async end() {
      await context.close();
      if (complaints.length > 0) throw new Error(`a page complained: ${complaints.join("\n")}`);
    },
  });
  return { page, complaints, plugIn: () => authenticatorOf(context, page) };
}

/** A refusal by the API is an answer, and so is the silence of a server that is not there; neither is a complaint. */
const isAnswer =
  /^Failed to load resource: (the server responded|net::ERR_(CONNECTION|EMPTY|INCOMPLETE|NETWORK))/;

/** One Chromium for all people of a story; what they must not share, their cookies and pages, is in their contexts. */
let shared: { readonly program: Promise<Program>; people: number } | undefined;

function sharedProgram(bench: Bench): Promise<Program> {
  shared ??= { program: driver.launch({ executablePath: chromium, args: ["--no-sandbox"] }), people: 0 };
  const mine = shared;
  mine.people++;
  bench.keep({
    async end() {
      if (--mine.people > 0) return;
      shared = undefined;
      await (await mine.program).close();
    },
  });
  return mine.program;
}

async function authenticatorOf(context: BrowserContext, page: Page): Promise<Authenticator> {
  const devtools: CDPSession = await context.newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const held = async () => (await devtools.send("WebAuthn.getCredentials", { authenticatorId })).credentials;
  return {
    credentials: held,
    async countFrom(signCount) {
      for (const credential of await held()) {
        const { credentialId } = credential;
        await devtools.send("WebAuthn.removeCredential", { authenticatorId, credentialId });
        await devtools.send("WebAuthn.addCredential", {
          authenticatorId,
          credential: { ...credential, signCount },
        });
      }
    },
    async recognise(isUserVerified) {
      await devtools.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified });
    },
  };
}
