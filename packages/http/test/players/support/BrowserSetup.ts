/**
 * Setup of the tests in a browser: one browser and sample streams for all, a server and a fresh context for each test.
 */
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as Browser from "@holdfast/testing/Browser"
import * as Requires from "@holdfast/testing/Requires"
import { afterAll, afterEach, beforeAll, beforeEach, vi } from "vitest"
import * as PlayerServer from "./PlayerServer.ts"
import * as SampleStreams from "./SampleStreams.ts"
import * as PlayerTab from "./PlayerTab.ts"

type Chromium = Awaited<ReturnType<typeof Browser.launch>>

export const missing = Requires.firstMissing(Browser.missing, SampleStreams.missing)

/** Whether all combinations of streams and formats are played, instead of one for each kind of behaviour: `pnpm players`. */
export const isWhole = process.env["HOLDFAST_PLAYERS"] === "all"

/** Returns the first of these cases; all of them for `pnpm players`. */
export const choose = <A>(first: ReadonlyArray<A>, others: ReadonlyArray<A>): Array<A> =>
  isWhole ? [...first, ...others] : [...first]

export interface BrowserSetup {
  readonly server: () => PlayerServer.PlayerServer
  readonly context: () => PlayerTab.BrowserContext
  /** Serves a stream. */
  readonly serve: (name: SampleStreams.Name, format: Format) => Promise<void>
  /** Serves a stream and opens its page. */
  readonly open: (name: SampleStreams.Name, format: Format, query: string) => Promise<PlayerTab.Opened>
}

/** Registers the hooks. Must be called where tests are registered. */
export const use = (): BrowserSetup => {
  // Decoding video in a browser takes long on a busy machine.
  vi.setConfig({ testTimeout: 90_000 })
  let server: PlayerServer.PlayerServer
  let chromium: Chromium
  let context: PlayerTab.BrowserContext

  beforeAll(async () => {
    // The policy of browsers on desktops: playback with sound needs a user action.
    chromium = await Browser.launch("--autoplay-policy=document-user-activation-required")
  })
  beforeEach(async () => {
    server = await PlayerServer.make()
    context = await chromium.newContext({ viewport: { width: 640, height: 360 } })
  })
  afterEach(async () => {
    await context.close()
    await server.close()
  })
  afterAll(async () => {
    await chromium.close()
    vi.resetConfig()
  })

  const serve = async (name: SampleStreams.Name, format: Format) => {
    server.state.directory = await SampleStreams.directory(name, format)
  }
  return {
    server: () => server,
    context: () => context,
    serve,
    open: async (name, format, query) => {
      await serve(name, format)
      return PlayerTab.open(context, server.page(format, query))
    }
  }
}
