import { Uploads } from "./Uploads"

export default function Page() {
  return <Uploads />
}
