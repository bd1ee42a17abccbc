/**
 * The environment variables of the commands that upload to another service and download from it, in place of options that are absent.
 */
export const variables = {
  url: "HOLDFAST_URL",
  key: "HOLDFAST_KEY",
  tenant: "HOLDFAST_TENANT",
  bucket: "HOLDFAST_BUCKET"
} as const
