import client.ApiClient;
import client.JSON;

/** What is particular to the clients that use Java's own HTTP client, and Jackson. */
class Library {
  /** A client of the server that the description names. */
  static ApiClient client(String token) {
    ApiClient client = new ApiClient();
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + token));
    return client;
  }

  static <T> T read(String json, Class<T> type) throws Exception {
    return JSON.getDefault().getMapper().readValue(json, type);
  }

  static String write(Object value) throws Exception {
    return JSON.getDefault().getMapper().writeValueAsString(value);
  }
}
