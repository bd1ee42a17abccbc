/**
 * Importing this module defines the elements `<holdfast-upload>` and `<holdfast-player>`.
 */
import { define } from "./elements/BaseElement.ts"
import { HoldfastPlayer } from "./elements/HoldfastPlayer.ts"
import { HoldfastUpload } from "./elements/HoldfastUpload.ts"

define("holdfast-upload", HoldfastUpload)
define("holdfast-player", HoldfastPlayer)

export { HoldfastPlayer, HoldfastUpload }
