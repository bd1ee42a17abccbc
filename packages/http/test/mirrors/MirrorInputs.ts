/**
 * Inputs that create mirrors of each type of target outside of the deployment.
 */
import { generateKeyPairSync } from "node:crypto"

const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" }
})

/** Returns the document of a service account whose tokens come from this address. */
const serviceAccount = (tokenUri: string): string =>
  JSON.stringify({
    type: "service_account",
    project_id: "p",
    private_key_id: "1",
    private_key: privateKey,
    client_email: "a@p.iam.gserviceaccount.com",
    client_id: "1",
    token_uri: tokenUri
  })

/** Returns the inputs of mirrors of each type to this endpoint. */
export const forEndpoint = (endpoint: string): ReadonlyArray<object> => [
  {
    name: "s3",
    type: "CLOUD_A",
    region: "us-east-1",
    bucketName: "bucket",
    accessKeyId: "key",
    secretAccessKey: "secret",
    forcePathStyle: true,
    endpoint
  },
  { name: "azure", type: "CLOUD_B", accountName: "account", containerName: "container", accountKey: "a2V5", endpoint },
  {
    name: "gcs",
    type: "CLOUD_C",
    projectId: "p",
    bucketName: "bucket",
    credentials: serviceAccount(endpoint),
    endpoint
  }
]
