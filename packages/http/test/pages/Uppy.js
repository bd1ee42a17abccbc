/**
 * Uppy and the plugins of which the pages show options, for the scripts of the pages.
 */
import Uppy from "@uppy/core"
import Tus from "@uppy/tus"
import XHRUpload from "@uppy/xhr-upload"

Object.assign(window, { Tus, Uppy, XHRUpload })
