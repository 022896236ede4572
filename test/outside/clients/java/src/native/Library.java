import client.ApiClient;
import client.JSON;
import java.net.URI;

/** What is particular to the clients that use Java's own HTTP client, and Jackson. */
class Library {
  /** A client of the server that the description names. */
  static ApiClient client(String token, String key) {
    ApiClient client = new ApiClient();
    client.setRequestInterceptor(
        request -> {
          String address = request.build().uri().toString();
          if (!address.contains("/v1/forms/")) request.header("Authorization", "Bearer " + token);
          else request.uri(URI.create(address + (address.contains("?") ? "&" : "?") + "key=" + key));
        });
    return client;
  }

  static <T> T read(String json, Class<T> type) throws Exception {
    return JSON.getDefault().getMapper().readValue(json, type);
  }

  static String write(Object value) throws Exception {
    return JSON.getDefault().getMapper().writeValueAsString(value);
  }
}
