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

const root = createRoot(document.getElementById("root") as HTMLElement);
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
        <RouterProvider router={openRouter()} />
      </MantineProvider>
    </StrictMode>,
  ),
);
