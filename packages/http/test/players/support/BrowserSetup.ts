/**
 * What the tests in a browser have around them: a browser and the streams for all, a server and a fresh context for each.
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

export interface BrowserSetup {
  readonly server: () => PlayerServer.PlayerServer
  readonly context: () => PlayerTab.BrowserContext
  /** Puts a stream on the stage. */
  readonly put: (name: SampleStreams.Name, format: Format) => Promise<void>
  /** Puts a stream on the stage and opens its page. */
  readonly open: (name: SampleStreams.Name, format: Format, query: string) => Promise<PlayerTab.Opened>
}

/** To be called where tests are registered. */
export const use = (): BrowserSetup => {
  // A browser decodes video, and a busy machine takes its time for that.
  vi.setConfig({ testTimeout: 90_000 })
  let streams: SampleStreams.SampleStreams
  let stage: PlayerServer.PlayerServer
  let chromium: Chromium
  let context: PlayerTab.BrowserContext

  beforeAll(async () => {
    streams = await SampleStreams.make()
    // As browsers do it where people sit before them.
    chromium = await Browser.launch("--autoplay-policy=document-user-activation-required")
  })
  beforeEach(async () => {
    stage = await PlayerServer.make()
    context = await chromium.newContext({ viewport: { width: 640, height: 360 } })
  })
  afterEach(async () => {
    await context.close()
    await stage.close()
  })
  afterAll(async () => {
    await chromium.close()
    await streams.close()
    vi.resetConfig()
  })

  const put = async (name: SampleStreams.Name, format: Format) => {
    stage.state.directory = await streams.directory(name, format)
  }
  return {
    server: () => stage,
    context: () => context,
    put,
    open: async (name, format, query) => {
      await put(name, format)
      return PlayerTab.open(context, stage.page(format, query))
    }
  }
}
