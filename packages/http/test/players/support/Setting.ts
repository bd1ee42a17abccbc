/**
 * What the tests in a browser have around them: a browser and the streams for all, a server and a fresh context for each.
 */
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as Browser from "@holdfast/testing/Browser"
import * as Requires from "@holdfast/testing/Requires"
import { afterAll, afterEach, beforeAll, beforeEach, vi } from "vitest"
import * as Stage from "./Stage.ts"
import * as Streams from "./Streams.ts"
import * as Watch from "./Watch.ts"

type Chromium = Awaited<ReturnType<typeof Browser.launch>>

export const missing = Requires.all(Browser.missing, Streams.missing)

export interface Setting {
  readonly stage: () => Stage.Stage
  readonly context: () => Watch.BrowserContext
  /** Puts a stream on the stage. */
  readonly put: (name: Streams.Name, format: Format) => Promise<void>
  /** Puts a stream on the stage and opens its page. */
  readonly open: (name: Streams.Name, format: Format, query: string) => Promise<Watch.Opened>
}

/** To be called where tests are registered. */
export const use = (): Setting => {
  // A browser decodes video, and a busy machine takes its time for that.
  vi.setConfig({ testTimeout: 90_000 })
  let streams: Streams.Streams
  let stage: Stage.Stage
  let chromium: Chromium
  let context: Watch.BrowserContext

  beforeAll(async () => {
    streams = await Streams.make()
    // As browsers do it where people sit before them.
    chromium = await Browser.launch("--autoplay-policy=document-user-activation-required")
  })
  beforeEach(async () => {
    stage = await Stage.make()
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

  const put = async (name: Streams.Name, format: Format) => {
    stage.state.directory = await streams.directory(name, format)
  }
  return {
    stage: () => stage,
    context: () => context,
    put,
    open: async (name, format, query) => {
      await put(name, format)
      return Watch.open(context, stage.page(format, query))
    }
  }
}
