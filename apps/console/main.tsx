import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "./console.css";
import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { styleNonce } from "@reeve/kit";
import { RouterProvider } from "@tanstack/react-router";
import { setNonce } from "get-nonce";
import { StrictMode, startTransition } from "react";
import { createRoot } from "react-dom/client";
import { openRouter } from "./router.tsx";
import { resolver, theme } from "./theme.ts";

// Dialogs add a style, too, by a library of their own.
setNonce(styleNonce());

/** What a page begins with is done in turns, so that none of them keeps a slow machine from answering. */
const turn = () => new Promise((resolve) => setTimeout(resolve));

async function begin(): Promise<void> {
  await turn();
  const router = openRouter();
  await turn();
  // Its page is on the way before anything is drawn.
  void router.load();
  await turn();
  const root = createRoot(document.getElementById("root") as HTMLElement);
  await turn();
  // A transition is drawn in small pieces, between which the page answers.
  startTransition(() =>
    root.render(
      <StrictMode>
        <MantineProvider
          theme={theme}
          cssVariablesResolver={resolver}
          defaultColorScheme="auto"
          getStyleNonce={styleNonce}
        >
          <Notifications position="bottom-right" />
          <RouterProvider router={router} />
        </MantineProvider>
      </StrictMode>,
    ),
  );
}

// Not awaited here: what waits at its top is split into a hundred files by the bundler.
void begin();
