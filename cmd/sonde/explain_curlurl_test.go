package main

// curlValues are files that are filled into URLs, with all that means something there, to a shell and to curl.
var curlValues = map[string]string{
	"hostile": "hunter2Xq@zebra-9931/giraffe?tok4#x%41 +&=;:[]{}'\"\\$HOME`id`é\xff",
	"pair":    "anna@zebra:hunter2Xq:@/#?% ",
	"path":    "hunter2Xq/zebra b/..?c=giraffe#d%2fe;token=f&'",
	"query":   "a=1&token=hunter2Xq+x%20y#zebra'w x&b=\"giraffe\"",
}

// curlURLFile has values in every place of a URL.
const curlURLFile = `
  - {name: hostileuser, http: {url: "USERS/hostileuser", redirects: none}}
  - {name: hostilepair, http: {url: "CREDENTIALS/hostilepair", redirects: none}}
  - {name: hostilepath, http: {url: "PLAIN/hostilepath/${file:path}/x"}}
  - {name: hostilequery, http: {url: "PLAIN/hostilequery?q=${file:hostile}&token=${file:hostile}&p=${file:path}"}}
  - {name: wholequery, http: {url: "PLAIN/wholequery?${file:query}"}}
  - {name: base, http: {url: "${CURL_BASE}&x=${file:hostile}"}}
  - {name: basepath, http: {url: "${CURL_ORIGIN}/basepath/${file:path}?q=${CURL_PLAIN}"}}
  - {name: hostileproxy, http: {url: "PLAIN/hostileproxy", proxy: "HOSTILEPROXY"}}
  - {name: pairproxy, http: {url: "PLAIN/pairproxy", proxy: "PAIRPROXY"}}
  - {name: formbody, http: {url: "PLAIN/formbody", method: POST, body: "user=anna&password=${CURL_PLAIN}"}}
`
