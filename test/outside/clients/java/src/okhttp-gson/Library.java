import client.ApiClient;
import client.JSON;

/** What is particular to the clients that use OkHttp and Gson. */
class Library {
  /** A client of the server that the description names. */
  static ApiClient client(String token, String key) {
    ApiClient client = new ApiClient();
    client.setBearerToken(token);
    client.setApiKey(key);
    return client;
  }

  static <T> T read(String json, Class<T> type) {
    return JSON.deserialize(json, type);
  }

  static String write(Object value) {
    return JSON.serialize(value);
  }
}
