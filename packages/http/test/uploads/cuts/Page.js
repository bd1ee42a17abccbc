/**
 * The program of a page that uploads a file with tus-js-client and with Uppy, by the key of an upload link.
 */
import Uppy from "@uppy/core"
import Tus from "@uppy/tus"
import { Upload } from "tus-js-client"

const retryDelays = [0, 500, 1000, 2000, 4000, 8000, 8000, 8000]

const uploadByTus = (file, endpoint, key) =>
  new Promise((resolve, reject) => {
    const upload = new Upload(file, {
      endpoint,
      retryDelays,
      headers: { "X-Api-Key": key },
      metadata: { filename: file.name, filetype: file.type },
      removeFingerprintOnSuccess: true,
      onSuccess: ({ lastResponse }) => resolve(lastResponse.getHeader("Holdfast-File-Id")),
      onError: reject
    })
    upload.start()
  })

const uploadByUppy = async (file, endpoint, key) => {
  const headers = { "X-Api-Key": key }
  const uppy = new Uppy().use(Tus, { endpoint, retryDelays, headers, allowedMetaFields: ["name", "type"] })
  uppy.addFile({ name: file.name, type: file.type, data: file })
  const { failed, successful } = await uppy.upload()
  if (failed.length > 0) throw new Error(String(failed[0].error))
  return successful[0].uploadURL
}

Object.assign(window, { file: () => document.querySelector("input").files[0], uploadByTus, uploadByUppy })
