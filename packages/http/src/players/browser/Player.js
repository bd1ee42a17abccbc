/**
 * The script of the player page: waits for the stream, plays it, and starts anew where it stopped when something went wrong.
 */
// oxlint-disable no-await-in-loop -- one try after the other
import * as Conversion from "./Conversion.js"
import * as Engine from "./Engine.js"
import * as Playing from "./Playing.js"
import * as Screen from "./Screen.js"
import * as Session from "./Session.js"
import * as Settings from "./Settings.js"
import * as Waiting from "./Waiting.js"

const settings = Settings.read()

/** How often it is started without getting on. */
const attempts = 3

/** Plays, again and again when it has to be started anew. @param {NonNullable<ReturnType<typeof Engine.find>>} start */
const play = async (start) => {
  let position = settings.seek
  let plays = settings.autoplay
  let failures = 0
  for (;;) {
    const conversion = await Waiting.untilPlayable(settings)
    if (Conversion.isRefused(conversion)) {
      await Screen.refuse(conversion)
      continue
    }
    if (conversion.state === "ready") Screen.showPoster()
    const isGrowing = conversion.state === "running"
    const left = await Session.run({ settings, start, isGrowing, position, plays }).catch(() => undefined)
    // A library that could not be loaded is a failure too.
    if (left === undefined || left.isBroken)
      failures = left !== undefined && left.position > position ? 1 : failures + 1
    if (left !== undefined && left.position > 0) ({ played: plays, position } = left)
    if (failures === attempts) {
      await Screen.stop("This video cannot be played here.")
      failures = 0
    }
  }
}

Playing.prepare(settings)
const start = Engine.find(settings.format)
if (start !== undefined) void play(start)
else await Screen.stop("This browser cannot play this kind of stream.")
