/**
 * The script of the player page: waits for the stream, plays it, and resumes it at the same position after a failure.
 */
// oxlint-disable no-await-in-loop -- sessions follow each other
import { awaitPlayable } from "./AwaitPlayable.js"
import * as ConversionState from "./ConversionState.js"
import * as ControlBar from "./controls/ControlBar.js"
import * as Spinner from "./controls/Spinner.js"
import * as Cover from "./Cover.js"
import * as Engine from "./Engine.js"
import * as HostMessages from "./host/HostMessages.js"
import * as LastPosition from "./host/LastPosition.js"
import * as MediaSession from "./host/MediaSession.js"
import * as Playback from "./Playback.js"
import * as Session from "./Session.js"
import * as Settings from "./Settings.js"
import * as View from "./View.js"

const settings = Settings.read()

/** Failed sessions at one position before the player gives up. */
const maxFailures = 3

/** A page that asks for a start nearer to the end than these seconds would show its last picture only. */
const minRestOfSeek = 1

/** Runs sessions, one after the other. @param {NonNullable<ReturnType<typeof Engine.find>>} start */
const play = async (start) => {
  let position = LastPosition.read() ?? settings.seek
  let minRest = minRestOfSeek
  let isPlaying = settings.autoplay
  let failures = 0
  for (;;) {
    const conversion = await awaitPlayable(settings)
    if (ConversionState.isRefused(conversion)) {
      await View.showRefusal(conversion, position)
      continue
    }
    if (conversion.state === "ready") Cover.showPoster(isPlaying)
    const isGrowing = conversion.state === "running"
    const end = await Session.run({ settings, start, isGrowing, position, minRest, isPlaying }).catch(() => undefined)
    // Undefined: the library could not be loaded, which counts as a failure, too.
    if (end === undefined || end.isBroken) failures = end !== undefined && end.position > position ? 1 : failures + 1
    if (end !== undefined && end.position > 0) {
      ;({ isPlaying, position } = end)
      minRest = 0
    }
    if (failures === maxFailures) {
      await View.showError("This video cannot be played here.", "unplayable", position)
      failures = 0
    }
  }
}

Cover.prepare()
Playback.prepare(settings)
Spinner.prepare()
if (settings.controls) ControlBar.prepare(settings)
HostMessages.prepare()
MediaSession.prepare()
const start = Engine.find(settings.format)
if (start !== undefined) {
  void play(start)
  LastPosition.prepare()
} else await View.showError("This browser cannot play this kind of stream.", "unsupported", settings.seek)
