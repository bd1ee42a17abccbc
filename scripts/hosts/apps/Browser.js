import { createClient, createUploader, uploadTo } from "@holdfast/client"
import { HoldfastPlayer, HoldfastUpload } from "@holdfast/client/elements"

Object.assign(globalThis, { createClient, createUploader, uploadTo, HoldfastPlayer, HoldfastUpload })
